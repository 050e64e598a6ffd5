/* Loads a shared object of norm-compile --entry=tvm-ffi without the TVM FFI:
   the types are written down here once more, and errors come to the function
   below. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *data;
  int32_t device, deviceNumber, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
} Tensor;
typedef struct {
  int32_t kind;
  uint32_t padding;
  void *pointer;
} Any;
typedef struct {
  uint64_t references;
  int32_t kind;
  uint32_t padding;
  void *destroy;
  Tensor tensor;
} TensorObject;
typedef int Function(void *, const Any *, int32_t, Any *);

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  printf("%s: %s\n", kind, message);
}

static Any pointTo(Tensor *tensor) { return (Any){7, 0, tensor}; }

static void call(Function *function, int count, Tensor *a, Tensor *b,
                 Tensor *c) {
  Any arguments[] = {pointTo(a), pointTo(b), pointTo(c)}, result = {0};
  int code = function(NULL, arguments, count, &result);
  if (code != 0 && code != -1)
    abort();
  if (code == 0)
    printf("fine\n");
}

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library)
    return 1;
  Function *norm = (Function *)dlsym(library, "__tvm_ffi_norm");
  Function *add = (Function *)dlsym(library, "__tvm_ffi_add");
  Function *check = (Function *)dlsym(library, "__tvm_ffi_check");
  Function *none = (Function *)dlsym(library, "__tvm_ffi_none");
  if (!norm || !add || !check || !none)
    return 1;

  enum { ROWS = 3, COLUMNS = 5 };
  float x[ROWS * COLUMNS + 1], w[COLUMNS], y[ROWS * COLUMNS];
  int64_t rows[] = {ROWS, COLUMNS}, columns[] = {COLUMNS};
  int64_t steps[] = {COLUMNS, 1}, transposed[] = {1, ROWS}, one[] = {1};
  for (int i = 0; i < ROWS * COLUMNS + 1; ++i)
    x[i] = i - 7;
  for (int i = 0; i < COLUMNS; ++i)
    w[i] = i + 1;
  Tensor tx = {x, 1, 0, 2, 2, 32, 1, rows, steps, 4}; /* from x[1] on */
  Tensor tw = {w, 1, 0, 1, 2, 32, 1, columns, one, 0};
  Tensor ty = {y, 1, 0, 2, 2, 32, 1, rows, NULL, 0};
  call(norm, 3, &tx, &tw, &ty);
  float worst = 0;
  for (int r = 0; r < ROWS; ++r) {
    double sum = 0;
    for (int c = 0; c < COLUMNS; ++c)
      sum += pow(x[1 + r * COLUMNS + c], 2);
    for (int c = 0; c < COLUMNS; ++c) {
      int i = r * COLUMNS + c;
      double exact = x[1 + i] / sqrt(sum / COLUMNS + 1e-6) * w[c];
      worst = fmaxf(worst, fabs(y[i] - exact));
    }
  }
  printf("norm: %s\n", worst < 1e-5 ? "right" : "wrong");

  uint16_t a[4] = {0x3f80, 0x4000, 0x4040, 0x4080}, sum[4]; /* 1, 2, 3, 4 */
  int64_t four[] = {4};
  Tensor ta = {a, 1, 0, 1, 4, 16, 1, four, one, 0}, tsum = ta;
  tsum.data = sum;
  TensorObject object = {1, 70, 0, NULL, ta};
  Any arguments[] = {{70, 0, &object}, pointTo(&ta), pointTo(&tsum)}, result;
  printf("add: %d, %x %x\n", add(NULL, arguments, 3, &result), sum[0], sum[3]);
  printf("none: %d\n", none(NULL, NULL, 0, &result));

  Tensor bad;
#define REFUSE(change)                                                         \
  bad = tx;                                                                    \
  change;                                                                      \
  call(norm, 3, &bad, &tw, &ty);
  REFUSE(bad.code = 0)
  REFUSE(bad.bits = 64)
  REFUSE(bad.lanes = 2)
  REFUSE(bad.rank = 1)
  REFUSE(bad.device = 2)
  REFUSE(bad.strides = transposed)
  REFUSE(bad.data = NULL)
  REFUSE(bad.byteOffset = 1)
  call(norm, 2, &tx, &tw, &ty);
  int64_t fewer[] = {2, COLUMNS}, less[] = {4}, negative[] = {-1};
  Tensor small = ty, narrow = tw;
  small.shape = fewer;
  call(norm, 3, &tx, &tw, &small);
  narrow.shape = less;
  call(norm, 3, &tx, &narrow, &ty);
  narrow.shape = negative;
  call(norm, 3, &tx, &narrow, &ty);
  Tensor same = tx;
  same.shape = rows;
  call(norm, 3, &tx, &tw, &same);
  Tensor wide = ta;
  wide.shape = columns;
  call(add, 3, &ta, &wide, &tsum);
  Any number = {1, 0, NULL};
  Any mixed[] = {number, pointTo(&ta), pointTo(&tsum)};
  add(NULL, mixed, 3, &result);

  uint8_t flags[4] = {1, 0, 0, 0}, copies[4];
  Tensor tf = {flags, 1, 0, 1, 6, 8, 1, four, one, 0}, tc = tf;
  tc.data = copies;
  call(check, 2, &tf, &tc, NULL);
  flags[0] = 0;
  call(check, 2, &tf, &tc, NULL);
  call(norm, 3, &tx, &tw, &ty);
  return 0;
}
