// What the head of an ELF file tells: whether the dynamic loader starts it.
#pragma once
#include "base/error.h"
#include <string>

namespace assay {

/// An executable file as the kernel sees it.
struct ElfFile {
    bool is_elf = false;
    bool has_interpreter = false; ///< has PT_INTERP: the dynamic loader starts it
    bool same_machine = false;    ///< same class and machine as this program
};

/// Reads an ELF file's headers. A file that is not ELF is not an error; a damaged one is.
Result<ElfFile> read_elf(const std::string& path, const std::string& bytes);

} // namespace assay
