// The difference between two capability tables, for eyes.
#include "base/text.h"
#include "base/text_table.h"
#include "probe/catalogue.h"
#include "probe/describe.h"
#include "reports/diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace assay {

namespace {

constexpr std::size_t kWidth = 100;
/// Answers that only one table records are listed up to this number, beyond it counted.
constexpr std::size_t kMostOneSided = 20;

bool one_sided(const DiffRow& row) { return row.change == Change::known || row.change == Change::unknown; }

/// A family number that nobody has named, answered no: only of interest when it changes.
bool is_quiet(const DiffRow& row) {
    constexpr std::string_view kPrefix = "supportsFamily(";
    const auto* answer = row.change == Change::known ? row.after : row.before;
    return one_sided(row) && row.key.size() > kPrefix.size() && row.key.rfind(kPrefix, 0) == 0 &&
           row.key[kPrefix.size()] >= '0' && row.key[kPrefix.size()] <= '9' &&
           answer->value == json::value(false);
}

/// Cut to `width` columns, never within a character.
std::string clipped(const std::string& text, std::size_t width) {
    if (display_width(text) <= width)
        return text;
    std::string out;
    std::size_t columns = 0;
    for (const char c : text) {
        const bool starts_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (starts_character && ++columns > width - 3)
            break;
        out += c;
    }
    return out + "...";
}

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, display_width(text)), ' ');
}

/// One line of the output before it is laid out.
struct Line {
    std::string group;
    std::string head; ///< sign and kind of change
    std::string key;
    std::string before;
    std::string after;
};

std::string head_of(const DiffRow& row) {
    const char sign = row.effect == Effect::better ? '+' : row.effect == Effect::worse ? '-' : ' ';
    if (row.is_volatile && row.change != Change::same)
        return "  volatile";
    if (one_sided(row))
        return row.change == Change::known ? "  only in B" : "  only in A";
    return std::string{sign, ' '} + std::string(change_name(row.change));
}

std::string answer_text(const DiffRow& row, const Answer* answer) {
    if (!answer)
        return "not recorded";
    auto text = describe(*answer, Catalogue::get().find(row.key));
    return answer->origin == AnswerOrigin::assumed ? text + " *" : text;
}

/// What one device's section shows, and what it only counts.
class Section {
  public:
    Section(const DeviceDiff& device, bool all) {
        const auto sided = static_cast<std::size_t>(
            std::count_if(device.rows.begin(), device.rows.end(),
                          [](const DiffRow& row) { return one_sided(row) && !is_quiet(row); }));
        for (const auto& row : device.rows) {
            if (!all && (row.change == Change::same || row.is_volatile))
                continue;
            if (!all && one_sided(row) && (sided > kMostOneSided || is_quiet(row))) {
                ++(row.change == Change::known ? only_after_ : only_before_);
                continue;
            }
            if (!row.is_volatile && row.change != Change::same && !one_sided(row))
                ++counts_[row.change];
            lines_.push_back({row.group.empty() ? "not in this version's catalogue" : row.group, head_of(row),
                              row.key, answer_text(row, row.before), answer_text(row, row.after)});
            assumed_ = assumed_ || (row.before && row.before->origin == AnswerOrigin::assumed) ||
                       (row.after && row.after->origin == AnswerOrigin::assumed);
        }
    }

    bool assumed() const { return assumed_; }

    std::string text(const DeviceDiff& device) const {
        return lines_text(clipped(device.before, 40), clipped(device.after, 40)) + counts_text();
    }

  private:
    std::string lines_text(const std::string& before_title, const std::string& after_title) const {
        std::size_t head = 0;
        std::size_t key = 0;
        std::size_t answer = std::max(display_width(before_title), display_width(after_title));
        for (const auto& line : lines_) {
            head = std::max(head, line.head.size());
            key = std::max(key, display_width(line.key));
            answer = std::max({answer, display_width(line.before), display_width(line.after)});
        }
        // Long keys are cut before answers are: two answers that look alike would hide the difference.
        constexpr std::size_t kLeastAnswer = 20;
        key = std::min(key, kWidth - 2 - head - 2 - 2 * (kLeastAnswer + 2));
        answer = std::min(answer, (kWidth - 2 - head - 2 - key - 2 - 2) / 2);
        const auto laid_out = [&](const std::string& a, const std::string& b, const std::string& c,
                                  const std::string& d) {
            std::string line = "  " + padded(a, head) + "  " + padded(clipped(b, key), key) + "  " +
                               padded(clipped(c, answer), answer) + "  " + clipped(d, answer);
            line.erase(line.find_last_not_of(' ') + 1);
            return line + '\n';
        };
        std::string out;
        if (!lines_.empty())
            out += laid_out("", "", before_title, after_title);
        std::string group;
        for (const auto& line : lines_) {
            if (line.group != group)
                out += line.group + '\n';
            group = line.group;
            out += laid_out(line.head, line.key, line.before, line.after);
        }
        return out;
    }

    std::string counts_text() const {
        std::vector<std::string> parts;
        for (const auto& [change, count] : counts_)
            parts.push_back(fmt::format("{} {}", count, change_name(change)));
        std::string out = parts.empty() ? "no recorded answer differs\n" : join(parts, ", ") + '\n';
        for (const auto& [count, table] : {std::pair(only_before_, "A"), std::pair(only_after_, "B")})
            if (count != 0)
                out += fmt::format("{} more {} recorded only in {} (--all lists them)\n", count,
                                   count == 1 ? "answer is" : "answers are", table);
        return out;
    }

    std::vector<Line> lines_;
    std::map<Change, int> counts_;
    std::size_t only_before_ = 0;
    std::size_t only_after_ = 0;
    bool assumed_ = false;
};

/// Without `all` a fact that only one table records is counted, except a shim: that says whose answers these
/// are.
std::string identity_text(const std::vector<IdentityRow>& rows, bool all) {
    constexpr const char* kNone = "not recorded";
    std::vector<IdentityRow> shown;
    std::size_t one_sided = 0;
    for (auto row : rows) {
        const bool sided = row.before.empty() || row.after.empty();
        if (sided && !all && row.fact != "shim") {
            ++one_sided;
            continue;
        }
        row.before = row.before.empty() ? kNone : row.before;
        row.after = row.after.empty() ? kNone : row.after;
        shown.push_back(std::move(row));
    }
    std::size_t fact = 0;
    std::size_t before = 0;
    for (const auto& row : shown) {
        fact = std::max(fact, display_width(row.fact));
        before = std::max(before, display_width(row.before));
    }
    before = std::min(before, (kWidth - 2 - fact - 2 - 2) / 2);
    const auto after = kWidth - 2 - fact - 2 - before - 2;
    std::string out = "system\n";
    for (const auto& row : shown)
        out += "  " + padded(row.fact, fact) + "  " + padded(clipped(row.before, before), before) + "  " +
               clipped(row.after, after) + '\n';
    if (one_sided != 0)
        out += fmt::format("  {} more {} recorded only on one side (--all lists them)\n", one_sided,
                           one_sided == 1 ? "fact is" : "facts are");
    return out;
}

} // namespace

std::string diff_text(const Diff& diff, const DiffNames& names, bool all) {
    std::string out =
        "A  " + clipped(names.before, kWidth - 3) + "\nB  " + clipped(names.after, kWidth - 3) + '\n';
    if (diff.simulated)
        out += "simulated: a device is a stand-in\n";
    if (!diff.identity.empty())
        out += '\n' + identity_text(diff.identity, all);
    bool assumed = false;
    for (std::size_t i = 0; i < diff.devices.size(); ++i) {
        const auto& device = diff.devices[i];
        const auto title = fmt::format("\ndevice {}", i);
        if (!device.in_before || !device.in_after) {
            out += fmt::format("{}: only in {}: {}\n", title, device.in_before ? "A" : "B",
                               clipped(device.in_before ? device.before : device.after, 60));
            continue;
        }
        const Section section(device, all);
        out += title + '\n' + section.text(device);
        assumed = assumed || section.assumed();
    }
    if (diff.devices.empty())
        out += "\nneither has a Metal device\n";
    if (assumed)
        out += "\n* assumed by a device file, not a fact about hardware\n";
    return out;
}

} // namespace assay
