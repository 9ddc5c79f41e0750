// The coherent subsets of the candidates: those that leave no new hole in a ladder of answers.
#pragma once
#include "ablate/search.h"
#include <cstdint>

namespace assay::ablate {

/// Subsets as bit masks over the candidates, bit i for candidate i.
class CoherentSets {
  public:
    using Mask = std::uint32_t;

    /// Candidates whose value is the stock answer already are left out of every set.
    CoherentSets(const std::vector<Candidate>& candidates,
                 const std::vector<std::vector<std::string>>& ladders, const AnswerSet& stock);

    /// Every coherent set, the empty one first; by size, then ladder height, then candidate order.
    const std::vector<Mask>& all() const { return all_; }
    bool coherent(Mask mask) const;
    bool at_stock(std::size_t candidate) const { return (usable_ & bit(candidate)) == 0; }

    /// Sum of the ladder positions of its members; 0 for members on no ladder.
    unsigned height(Mask mask) const;
    /// Whether `a` comes before `b` in all().
    bool simpler(Mask a, Mask b) const;

    /// The simplest coherent set with this candidate in it; 0 when there is none.
    Mask closure(std::size_t candidate) const;
    /// The largest coherent subset of `mask` without this candidate.
    Mask without(Mask mask, std::size_t candidate) const;

    OverrideSet overrides(Mask mask) const;
    /// The stock answers with these overrides; valid until the next call.
    const AnswerSet& answers(Mask mask) const;
    std::vector<std::string> keys(Mask mask) const;

    static Mask bit(std::size_t candidate) { return Mask{1} << candidate; }

  private:
    /// One ladder step: "yes" at `high` above "no" at `low` is a hole.
    struct Step {
        std::string low;
        std::string high;
        bool hole_at_stock = false;
    };
    bool yes(const std::string& key, Mask mask) const;
    bool hole(const Step& step, Mask mask) const;

    const std::vector<Candidate>& candidates_;
    const AnswerSet& stock_;
    std::vector<Step> steps_;
    std::vector<unsigned> heights_; ///< by candidate
    Mask usable_ = 0;
    std::vector<Mask> all_;
    mutable AnswerSet scratch_; ///< the answers of scratch_mask_: copying 200 answers per set is too slow
    mutable Mask scratch_mask_ = 0;
};

} // namespace assay::ablate
