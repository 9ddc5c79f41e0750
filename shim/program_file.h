// Finding the file that runs when a command is started.
#pragma once
#include "base/error.h"
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// The file a command name stands for: itself when it has a slash, else the first executable one in PATH.
Result<std::string> find_program(const std::string& name);

/// The program that a script's first line names ("#!/usr/bin/env name" names `name`), empty when the file is
/// no script.
std::string script_interpreter(std::string_view head);

} // namespace assay
