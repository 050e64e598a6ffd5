/* Counts what a compiled loop allocates and frees, for three numbers of turns:
 * the memory alive at once must not grow with them. Linked with --wrap=malloc
 * and
 * --wrap=free. The header comes by -include.
 */
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 64, kCols = 300 };

static long allocated, freed, mostAlive;

void *__real_malloc(size_t size);
void __real_free(void *p);

void *__wrap_malloc(size_t size) {
  if (++allocated - freed > mostAlive)
    mostAlive = allocated - freed;
  return __real_malloc(size);
}

void __wrap_free(void *p) {
  freed += p != NULL;
  __real_free(p);
}

static float x[kRows * kCols], y[kRows * kCols];

static norm_memref_2d describe(float *data) {
  norm_memref_2d m = {data, data, 0, {kRows, kCols}, {kCols, 1}};
  return m;
}

typedef void Program(const norm_memref_2d *x, intptr_t turns,
                     norm_memref_2d *y);

static void run(const char *name, Program *program, int64_t turns, float sum) {
  norm_memref_2d in = describe(x), out = describe(y);
  for (int i = 0; i < kRows * kCols; ++i) {
    x[i] = 1;
    y[i] = 7;
  }
  allocated = freed = mostAlive = 0;
  program(&in, turns, &out);
  int wrong = 0;
  for (int i = 0; i < kRows * kCols; ++i)
    wrong += y[i] != sum || x[i] != 1;
  printf("%s, %ld turns: %d wrong, %ld not freed, %ld alive at most, %s\n",
         name, (long)turns, wrong, allocated - freed, mostAlive,
         allocated > 8 ? "allocates each turn" : "does not allocate in turns");
}

int main(void) {
  int64_t turns[] = {0, 1, 2000};
  for (int i = 0; i < 3; ++i) {
    run("add", _mlir_ciface_add, turns[i], 1 + turns[i]);
    run("swap", _mlir_ciface_swap, turns[i], turns[i] % 2 ? 0 : 1);
    run("changing", _mlir_ciface_changing, turns[i], 1 + turns[i]);
    run("small", _mlir_ciface_small, 50 * turns[i], turns[i] > 0 ? 4 : 1);
  }
  return 0;
}
