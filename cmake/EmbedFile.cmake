# cmake -DINPUT=files -DOUTPUT=file.inc -P EmbedFile.cmake
# The bytes of files, one after the other, as the elements of a C array.
set(bytes)
foreach(file IN LISTS INPUT)
  file(READ ${file} hex HEX)
  string(APPEND bytes ${hex})
endforeach()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}")
