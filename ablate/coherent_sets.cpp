// The coherent subsets of the candidates.
#include "ablate/coherent_sets.h"
#include <algorithm>
#include <bit>

namespace assay::ablate {

namespace {

bool is_yes(const json::value& value) { return value.is_bool() && value.get_bool(); }

} // namespace

CoherentSets::CoherentSets(const std::vector<Candidate>& candidates,
                           const std::vector<std::vector<std::string>>& ladders, const AnswerSet& stock)
    : candidates_(candidates), stock_(stock), heights_(candidates.size(), 0), scratch_(stock) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto found = stock.find(candidates[i].key);
        if (found == stock.end() || found->second != candidates[i].value)
            usable_ |= bit(i);
    }
    for (const auto& ladder : ladders) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const auto rung = std::find(ladder.begin(), ladder.end(), candidates[i].key);
            if (rung != ladder.end())
                heights_[i] = static_cast<unsigned>(rung - ladder.begin()) + 1;
        }
        // Keys that are neither answered nor candidates are unknown and make no hole: drop them.
        std::vector<std::string> present;
        for (const auto& key : ladder) {
            const bool candidate = std::any_of(candidates.begin(), candidates.end(),
                                               [&](const Candidate& c) { return c.key == key; });
            if (candidate || stock.count(key) != 0)
                present.push_back(key);
        }
        for (std::size_t i = 0; i + 1 < present.size(); ++i) {
            Step step{present[i], present[i + 1], false};
            step.hole_at_stock = hole(step, 0);
            steps_.push_back(std::move(step));
        }
    }
    const Mask end = bit(candidates.size());
    for (Mask mask = 0; mask < end; ++mask)
        if ((mask & ~usable_) == 0 && coherent(mask))
            all_.push_back(mask);
    std::sort(all_.begin(), all_.end(), [&](Mask a, Mask b) { return simpler(a, b); });
}

bool CoherentSets::yes(const std::string& key, Mask mask) const {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if ((mask & bit(i)) != 0 && candidates_[i].key == key)
            return is_yes(candidates_[i].value);
    const auto found = stock_.find(key);
    return found != stock_.end() && is_yes(found->second);
}

bool CoherentSets::hole(const Step& step, Mask mask) const {
    return yes(step.high, mask) && !yes(step.low, mask);
}

bool CoherentSets::coherent(Mask mask) const {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        for (std::size_t j = i + 1; j < candidates_.size(); ++j)
            if ((mask & bit(i)) != 0 && (mask & bit(j)) != 0 && candidates_[i].key == candidates_[j].key)
                return false;
    return std::none_of(steps_.begin(), steps_.end(),
                        [&](const Step& step) { return !step.hole_at_stock && hole(step, mask); });
}

unsigned CoherentSets::height(Mask mask) const {
    unsigned sum = 0;
    for (std::size_t i = 0; i < heights_.size(); ++i)
        if ((mask & bit(i)) != 0)
            sum += heights_[i];
    return sum;
}

bool CoherentSets::simpler(Mask a, Mask b) const {
    if (std::popcount(a) != std::popcount(b))
        return std::popcount(a) < std::popcount(b);
    const unsigned height_a = height(a);
    const unsigned height_b = height(b);
    return height_a != height_b ? height_a < height_b : a < b;
}

CoherentSets::Mask CoherentSets::closure(std::size_t candidate) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](Mask mask) { return (mask & bit(candidate)) != 0; });
    return found == all_.end() ? 0 : *found;
}

CoherentSets::Mask CoherentSets::without(Mask mask, std::size_t candidate) const {
    const Mask allowed = mask & ~bit(candidate);
    const auto found =
        std::find_if(all_.rbegin(), all_.rend(), [&](Mask other) { return (other & ~allowed) == 0; });
    return found == all_.rend() ? 0 : *found;
}

OverrideSet CoherentSets::overrides(Mask mask) const {
    OverrideSet out;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if ((mask & bit(i)) != 0)
            out[candidates_[i].key] = candidates_[i].value;
    return out;
}

const AnswerSet& CoherentSets::answers(Mask mask) const {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if ((scratch_mask_ & bit(i)) == 0)
            continue;
        const auto& key = candidates_[i].key;
        const auto found = stock_.find(key);
        if (found == stock_.end())
            scratch_.erase(key);
        else
            scratch_[key] = found->second;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if ((mask & bit(i)) != 0)
            scratch_[candidates_[i].key] = candidates_[i].value;
    scratch_mask_ = mask;
    return scratch_;
}

std::vector<std::string> CoherentSets::keys(Mask mask) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        if ((mask & bit(i)) != 0)
            out.push_back(candidates_[i].key);
    return out;
}

} // namespace assay::ablate
