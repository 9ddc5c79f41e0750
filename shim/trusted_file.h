// Reading a file that nobody else can have written.
#pragma once
#include "shim/refusal.h"
#include <cstddef>
#include <string>

namespace assay {

/// The bytes of a regular file that belongs to this user or to root and that neither group nor others can
/// write, in folders of which the same holds (all the way up; a sticky folder such as /tmp is fine, since
/// others cannot replace our files in it). Folders are judged by their mode alone: a mounted folder often has
/// a foreign owner. Symbolic links are followed, and the folders on both ways are looked at.
Accepted<std::string> read_trusted_file(const std::string& path, std::size_t limit);

} // namespace assay
