// What the head of an ELF file tells: whether the dynamic loader starts it.
#include "shim/elf_file.h"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace assay {

namespace {

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
#error "which ELF machine is this?"
#endif

/// The structure at an offset, or false when the file ends before its end.
template <class T>
bool read_at(const std::string& bytes, std::uint64_t offset, T& out) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
        return false;
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
}

} // namespace

Result<ElfFile> read_elf(const std::string& path, const std::string& bytes) {
    ElfFile file;
    if (bytes.compare(0, SELFMAG, ELFMAG) != 0)
        return file;
    file.is_elf = true;
    ElfW(Ehdr) header{};
    if (!read_at(bytes, 0, header))
        return bad_input(path, "is a damaged program: its ELF header is cut off");
    file.same_machine = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kMachine;
    if (!file.same_machine)
        return file;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        if (!read_at(bytes, header.e_phoff + std::uint64_t{i} * header.e_phentsize, segment))
            return bad_input(path, "is a damaged program: its program headers are cut off");
        file.has_interpreter = file.has_interpreter || segment.p_type == PT_INTERP;
    }
    return file;
}

} // namespace assay
