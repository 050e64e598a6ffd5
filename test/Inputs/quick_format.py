"""lit's test format for `make check-quick`; lit sends it to its workers, so it is a module."""
import re

import lit.formats


class QuickFormat(lit.formats.ShTest):
    """The tests whose only programs are norm-opt, FileCheck, those of a shell, and scripts
    that run them."""

    OTHER = re.compile(
        r"(?<![-\w/.])norm-(?!opt\b)\w|%\w*python|%\{?(stock|ods)|clang|cmake|%ptxas|%llvm_lib"
        r"|\b(llc|bash|sh|ninja)\b|(?<!-)\b(mlir|llvm)-\w|%t\.exe|%\w*/bin/")

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for test in super().getTestsInDirectory(suite, path, lit_config, local_config):
            with open(test.getSourcePath()) as file:
                commands = " ".join(re.findall(r"(?:RUN|DEFINE|REQUIRES):(.*)", file.read()))
            if re.search(r"norm-opt|%\{recognized\}", commands) and not self.OTHER.search(commands):
                yield test
