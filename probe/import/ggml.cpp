// Logs of ggml's Metal backend: llama.cpp, whisper.cpp and others, from 2023 on.
//
// What the lines mean is read from ggml-org/ggml @ d99724f2, src/ggml-metal/ggml-metal-device.m, and, for
// older forms, ggml-metal.m of llama.cpp @ 465219b9 (2023):
// - "GPU family:" is the first yes of a search downwards, from Apple1 + 20, Common1 + 5 and Metal3 + 5. What
//   is printed therefore implies "no" for the families above it, and says nothing about those below. That no
//   line is printed would imply "no" for all of its kind, but the log may have lost the line: nothing is
//   recorded.
// - "simdgroup matrix mul." is supportsFamily(Apple7). "simdgroup reduction" is supportsFamily(Apple7) or
//   supportsFamily(Metal3). "has bfloat", "has tensor" and "use residency sets" also depend on environment
//   variables, probes and the operating system, so they imply nothing about single answers.
// - "recommendedMaxWorkingSetSize" has two decimals. Its unit was 2^20 bytes as "MB" (2023), 2^20 as "MiB"
//   (end of 2023), then 10^6 as "MB".
#include "base/text.h"
#include "metal/gpu_family.h"
#include "probe/import/import.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace assay::import {

namespace {

constexpr std::string_view kOldPrefix = "ggml_metal_init:";
constexpr std::string_view kNewPrefix = "ggml_metal_device_init:";
constexpr std::string_view kLumeBanner = "[LumeMetalCapabilities] Enabled for ";

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

/// Takes `prefix` off the front of `text`.
bool take(std::string_view& text, std::string_view prefix) {
    if (!starts_with(text, prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

void skip_spaces(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Takes decimal digits off the front; nothing when there are none or too many.
std::optional<long> take_number(std::string_view& text) {
    long value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || text.front() == '-')
        return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// What one call of ggml's logger printed.
struct Statement {
    std::string_view text;
    std::size_t line;
    bool whole; ///< false: the log ends here and may be cut
    bool device_init;
};

struct Prefix {
    std::size_t at;
    std::size_t size;
};

Prefix next_prefix(std::string_view text, std::size_t from) {
    const auto old_at = text.find(kOldPrefix, from);
    const auto new_at = text.find(kNewPrefix, from);
    return new_at < old_at ? Prefix{new_at, kNewPrefix.size()} : Prefix{old_at, kOldPrefix.size()};
}

/// Splits on the prefix, not on lines: notebooks lose newlines, and loggers put a time in front.
std::vector<Statement> statements_of(std::string_view log) {
    std::vector<Statement> out;
    for (const auto& line : log_lines(log)) {
        auto prefix = next_prefix(line.text, 0);
        while (prefix.at != std::string_view::npos) {
            const auto begin = prefix.at + prefix.size;
            const bool device_init = prefix.size == kNewPrefix.size();
            prefix = next_prefix(line.text, begin);
            const bool last = prefix.at == std::string_view::npos;
            const auto text = line.text.substr(begin, last ? prefix.at : prefix.at - begin);
            out.push_back({trim(text), line.number, !last || line.terminated, device_init});
        }
    }
    return out;
}

/// A figure of megabytes whose unit is known when the whole log has been read.
struct Megabytes {
    double figure;
    double rounding; ///< half of the last decimal
    bool binary;     ///< certainly 2^20
    bool decimal;    ///< certainly 10^6
};

/// The facts about one device.
struct Block {
    Device device;
    std::string label;                        ///< what "GPU name:" printed
    std::map<std::string, std::size_t> lines; ///< where each answer was stated
    std::map<std::string, Megabytes> megabytes;
    std::optional<bool> reduction;
    std::optional<bool> matrix;
};

class Reader {
  public:
    explicit Reader(const std::string& name) : name_(name) {}

    Result<Table> read(std::string_view log) {
        for (const auto& statement : statements_of(log))
            if (auto understood = understand(statement); !understood)
                return understood.error();
        Table table;
        table.identity.shim = banner_in(log);
        std::size_t answers = 0;
        for (auto& block : blocks_) {
            finish(block);
            answers += block.device.answers().size();
            table.devices.push_back(std::move(block.device));
        }
        if (answers == 0 && !no_device_)
            return bad_input(name_, "its ggml lines state no answer of a device",
                             "the lines from \"GPU name:\" to \"recommendedMaxWorkingSetSize\" are needed");
        return table;
    }

  private:
    /// The library that changed the answers, if it said so.
    static ActiveShim banner_in(std::string_view log) {
        const auto at = log.find(kLumeBanner);
        if (at == std::string_view::npos)
            return {};
        const auto line = log.substr(at, log.find('\n', at) - at);
        const auto open = line.find(" (");
        const auto close = line.rfind(')');
        std::string settings;
        if (open != std::string_view::npos && close != std::string_view::npos && close > open)
            settings = line.substr(open, close + 1 - open);
        return {ActiveShim::Kind::other, "LumeMetalCapabilities" + settings};
    }

    Error unreadable(const Statement& statement, const std::string& expected) const {
        return bad_input(line_place(name_, statement.line), "cannot read \"" +
                                                                std::string(statement.text.substr(0, 80)) +
                                                                "\": expected " + expected);
    }

    Result<void> understand(const Statement& statement) {
        auto text = statement.text;
        if (take(text, "GPU name:"))
            return gpu_name(statement, trim(text));
        if (take(text, "GPU family:"))
            return gpu_family(statement, trim(text));
        if (take(text, "found device:") || take(text, "picking default device:"))
            return device_name(statement, trim(text));
        if (starts_with(text, "GGML_METAL_PATH_RESOURCES"))
            decimal_ = true; // this line is younger than the "MB" of 2^20 bytes
        if (starts_with(text, "probed SIMD-group width"))
            measures_width_ = true;
        for (const std::string_view label : {"has unified memory", "hasUnifiedMemory"})
            if (take(text, label))
                return boolean(statement, text, [&](bool value) {
                    return record(block(), "hasUnifiedMemory", Answer::of(value, AnswerOrigin::logged),
                                  statement.line);
                });
        if (take(text, "simdgroup reduction")) {
            decimal_ = true;
            return boolean(statement, text, [&](bool value) {
                block().reduction = value;
                return Result<void>();
            });
        }
        if (take(text, "simdgroup matrix mul."))
            return boolean(statement, text, [&](bool value) {
                block().matrix = value;
                return Result<void>();
            });
        if (take(text, "recommendedMaxWorkingSetSize"))
            return megabytes(statement, "recommendedMaxWorkingSetSize", text, "");
        if (take(text, "maxTransferRate"))
            return megabytes(statement, "maxTransferRate", text, "/s");
        return {};
    }

    Block& block() {
        if (blocks_.empty())
            blocks_.emplace_back();
        return blocks_[current_];
    }

    /// The block with this label; else the one that so far is only a name; else a new one.
    void enter_block(const std::string& label, const std::string& name) {
        for (const bool by_label : {true, false}) {
            for (std::size_t i = 0; i < blocks_.size(); ++i) {
                auto& candidate = blocks_[i];
                if (by_label ? candidate.label == label : candidate.label == name) {
                    candidate.label = label;
                    current_ = i;
                    return;
                }
            }
        }
        current_ = blocks_.size();
        blocks_.emplace_back().label = label;
    }

    static bool is_text(std::string_view text) {
        return !text.empty() && parse_json(write_json_line(json::string(text)), "").has_value();
    }

    /// "MTL0 (Apple M1)", "Apple M1", or, for some weeks of 2025, "MTL0" alone.
    Result<void> gpu_name(const Statement& statement, std::string_view text) {
        const auto label = std::string(text);
        auto name = text;
        if (take(name, "MTL") && take_number(name)) {
            if (name.empty() && statement.whole) {
                enter_block(label, {});
                return {};
            }
            if (!take(name, " (") || name.empty() || name.back() != ')')
                return statement.whole ? Result<void>(unreadable(statement, "\"MTL0 (name)\""))
                                       : Result<void>();
            name.remove_suffix(1);
        } else {
            name = text;
            if (!statement.whole)
                return {}; // "Apple M1" may be what is left of "Apple M1 Ultra"
        }
        if (!is_text(name))
            return unreadable(statement, "the name of a device");
        enter_block(label, std::string(name));
        return named(name, statement.line);
    }

    /// The list of devices: before the block in old logs, after it in new ones.
    Result<void> device_name(const Statement& statement, std::string_view name) {
        if (!statement.whole)
            return {};
        if (name == "(null)") {
            no_device_ = true;
            return {};
        }
        if (!is_text(name))
            return unreadable(statement, "the name of a device");
        for (const auto& known : blocks_)
            if (known.device.name == name)
                return {};
        const auto kept = current_;
        const bool first = blocks_.empty();
        enter_block(std::string(name), std::string(name));
        const auto result = named(name, statement.line);
        if (!first)
            current_ = kept;
        return result;
    }

    Result<void> named(std::string_view name, std::size_t line) {
        block().device.name = name;
        return record(block(), "name", Answer::of(json::string(name), AnswerOrigin::logged), line);
    }

    /// "MTLGPUFamilyApple7  (1007)": name and number must agree, for a damaged line must not invent a family.
    Result<void> gpu_family(const Statement& statement, std::string_view text) {
        struct Ladder {
            std::string_view prefix;
            long first_value; ///< of the lowest family that is searched
            long first_number;
            long searched; ///< how far above it the search begins
        };
        static constexpr Ladder kLadders[] = {{"MTLGPUFamilyApple", 1001, 1, 20},
                                              {"MTLGPUFamilyCommon", 3001, 1, 5},
                                              {"MTLGPUFamilyMetal", 5001, 3, 5}};
        for (const auto& ladder : kLadders) {
            auto rest = text;
            if (!take(rest, ladder.prefix))
                continue;
            const auto number = take_number(rest);
            skip_spaces(rest);
            const bool open = take(rest, "(");
            const auto value = take_number(rest);
            if (!number || !open || !value || !take(rest, ")") ||
                *value - ladder.first_value != *number - ladder.first_number || *value < ladder.first_value ||
                *value > ladder.first_value + ladder.searched)
                break;
            decimal_ = decimal_ || ladder.first_value != 1001; // only newer versions search these
            const auto found = family_key(*value);
            if (auto recorded =
                    record(block(), found, Answer::of(true, AnswerOrigin::logged), statement.line);
                !recorded)
                return recorded;
            for (long above = *value + 1; above <= ladder.first_value + ladder.searched; ++above)
                if (auto implied =
                        imply(block(), family_key(above), false,
                              "first yes from above: " + metal::gpu_family_name(*value), statement.line);
                    !implied)
                    return implied;
            return {};
        }
        if (!statement.whole)
            return {};
        return unreadable(statement, "a family and its number, as \"MTLGPUFamilyApple7  (1007)\"");
    }

    static std::string family_key(long value) {
        return "supportsFamily(" + metal::gpu_family_name(value) + ")";
    }

    /// Takes "   = " or " support = " off the front.
    static bool take_equals(std::string_view& text) {
        skip_spaces(text);
        take(text, "support");
        skip_spaces(text);
        if (!take(text, "="))
            return false;
        skip_spaces(text);
        return true;
    }

    template <class Use>
    Result<void> boolean(const Statement& statement, std::string_view text, Use use) {
        if (take_equals(text)) {
            if (starts_with(text, "true"))
                return use(true);
            if (starts_with(text, "false"))
                return use(false);
        }
        return statement.whole ? Result<void>(unreadable(statement, "\"= true\" or \"= false\""))
                               : Result<void>();
    }

    /// "= 11453.25 MB", "= 10922,67 MiB", for a rate "= 10.00 MB/s" or "= built-in GPU".
    Result<void> megabytes(const Statement& statement, const std::string& key, std::string_view text,
                           std::string_view per) {
        const auto expected = "a figure with its unit, as \"= 11453.25 MB" + std::string(per) + "\"";
        // The first form of 2023 had one space before the equals sign, all later ones two or more.
        const bool oldest = starts_with(text, " = ") && per.empty();
        if (!take_equals(text))
            return statement.whole ? Result<void>(unreadable(statement, expected)) : Result<void>();
        if (!per.empty() && starts_with(text, "built-in GPU"))
            return record(block(), key, Answer::of(0, AnswerOrigin::logged), statement.line);
        const auto whole = take_number(text);
        Megabytes figure{static_cast<double>(whole.value_or(0)), 0.5, false, statement.device_init};
        if (whole && !text.empty() && (text.front() == '.' || text.front() == ',')) {
            text.remove_prefix(1);
            for (double digit = 0.1; !text.empty() && text.front() >= '0' && text.front() <= '9';
                 digit /= 10) {
                figure.figure += (text.front() - '0') * digit;
                figure.rounding = digit / 2;
                text.remove_prefix(1);
            }
        }
        skip_spaces(text);
        const bool binary = take(text, "MiB");
        if (!whole || !(binary || take(text, "MB")) || !take(text, per))
            return statement.whole ? Result<void>(unreadable(statement, expected)) : Result<void>();
        figure.binary = binary || oldest;
        const auto [known, fresh] = block().megabytes.try_emplace(key, figure);
        if (!fresh && (known->second.figure != figure.figure || known->second.binary != figure.binary))
            return bad_input(line_place(name_, statement.line),
                             "says " + key + " a second time, and differently", "import the log of one run");
        return {};
    }

    Result<void> record(Block& target, const std::string& key, Answer answer, std::size_t line) {
        const auto* known = target.device.find(key);
        if (known && known->value != answer.value)
            return bad_input(line_place(name_, line),
                             "contradicts line " + std::to_string(target.lines[key]) + " about " + key,
                             "import the log of one run");
        if (known && known->origin == AnswerOrigin::logged)
            return {};
        target.lines[key] = line;
        target.device.set(key, std::move(answer));
        return {};
    }

    Result<void> imply(Block& target, const std::string& key, bool value, const std::string& why,
                       std::size_t line) {
        auto answer = Answer::of(value, AnswerOrigin::implied);
        answer.detail = why;
        if (const auto* known = target.device.find(key); known && known->value == answer.value)
            return {};
        return record(target, key, std::move(answer), line);
    }

    /// What ggml's own conditions imply. A fork may have changed one: then it contradicts what is stated, and
    /// nothing is concluded from it.
    void conclude(Block& target) const {
        const auto apple7 = family_key(1007);
        const auto metal3 = family_key(5001);
        const auto set = [&](const std::string& key, bool value, const char* why) {
            if (target.device.find(key))
                return;
            auto answer = Answer::of(value, AnswerOrigin::implied);
            answer.detail = why;
            target.device.set(key, std::move(answer));
        };
        const auto is = [&](const std::string& key, bool value) {
            return target.device.answer_value(key) == json::value(value);
        };
        if (target.matrix)
            set(apple7, *target.matrix,
                *target.matrix ? "simdgroup matrix mul. = true" : "simdgroup matrix mul. = false");
        if (target.reduction == false && !measures_width_ && !is(apple7, true) && !is(metal3, true)) {
            set(apple7, false, "simdgroup reduction = false");
            set(metal3, false, "simdgroup reduction = false");
        }
        if (target.reduction == true && is(apple7, false))
            set(metal3, true, "simdgroup reduction = true without Apple7");
    }

    void finish(Block& target) const {
        conclude(target);
        for (const auto& [key, figure] : target.megabytes) {
            if (!figure.binary && !figure.decimal && !decimal_)
                continue; // "MB" of either size
            const double unit = figure.binary ? 1024.0 * 1024.0 : 1e6;
            auto answer = Answer::of(static_cast<std::uint64_t>(std::llround(figure.figure * unit)),
                                     AnswerOrigin::logged);
            answer.precision = std::round(figure.rounding * unit * 100) / 100;
            target.device.set(key, std::move(answer));
        }
    }

    const std::string& name_;
    std::vector<Block> blocks_;
    std::size_t current_ = 0;
    bool decimal_ = false;        ///< the version is one that prints 10^6 bytes as MB
    bool no_device_ = false;      ///< the log says that there is none
    bool measures_width_ = false; ///< a fork that prints reduction = false for another reason
};

} // namespace

const Format ggml_format{
    "ggml", "lines with \"ggml_metal_device_init:\" or \"ggml_metal_init:\"",
    [](std::string_view log) { return next_prefix(log, 0).at != std::string_view::npos; },
    [](std::string_view log, const std::string& name) { return Reader(name).read(log); }};

} // namespace assay::import
