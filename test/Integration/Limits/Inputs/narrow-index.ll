define void @cut(ptr %p, i64 %n) {
  %i = trunc i64 %n to i32
  %q = getelementptr float, ptr %p, i32 %i
  %m = call ptr @malloc(i32 %i)
  store float 0.0, ptr %q
  ret void
}
declare ptr @malloc(i32)
