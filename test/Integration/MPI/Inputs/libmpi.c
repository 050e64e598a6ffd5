// A library with OpenMPI's name, and MPICH's version.
#include <string.h>
int MPI_Get_library_version(char *version, int *length) {
  strcpy(version, "MPICH Version: 4.0");
  *length = (int)strlen(version);
  return 0;
}
