// Small helpers on text: splitting, trimming, spelling suggestions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The candidate closest to `word` by edit distance, or empty when none is close enough to be a typing
/// mistake.
std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates);

/// " (did you mean \"x\"?)" or an empty string.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

} // namespace assay
