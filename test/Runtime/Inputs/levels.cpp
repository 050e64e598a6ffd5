// The level that norm_cpu_level takes machines for, from the words that CPUID
// and XGETBV give on them (qemu's and public CPUID dumps).
#include "Level.h"
#include <stdio.h>
#include <string.h>

using norm::cpu::getLevel;
using norm::cpu::Registers;

struct Machine {
  const char *name;
  Registers registers;
};

static const Machine kMachines[] = {
    {"Core 2 (no SSE4.2)", {0x0008e3fd, 0, 0x1, 0}},
    {"Nehalem", {0x009ae3bd, 0, 0x1, 0}},
    {"Sandy Bridge (no AVX2)", {0x1fbae3ff, 0, 0x1, 0x7}},
    {"Haswell", {0x7ffafbff, 0x000027ab, 0x21, 0x7}},
    {"Haswell, AVX not saved", {0x7ffafbff, 0x000027ab, 0x21, 0x3}},
    {"Haswell, no OSXSAVE", {0x77fafbff, 0x000027ab, 0x21, 0}},
    {"Haswell, no LZCNT", {0x7ffafbff, 0x000027ab, 0x1, 0x7}},
    {"Zen 2", {0x7ed8320b, 0x219c91a9, 0x75c237ff, 0x7}},
    {"Skylake server", {0x7ffefbff, 0xd39ffffb, 0x121, 0xe7}},
    {"Skylake server, AVX-512 not saved", {0x7ffefbff, 0xd39ffffb, 0x121, 0x7}},
    {"Knights Landing (no BW, DQ, VL)", {0x7ff8f3bf, 0x1c0d23ab, 0x121, 0xe7}},
};

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "here"))
    return printf("here: %d\n", norm_cpu_level()) < 0;
  for (const Machine &machine : kMachines)
    printf("%s: %d\n", machine.name, getLevel(machine.registers));
}
