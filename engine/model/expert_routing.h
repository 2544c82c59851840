#pragma once

#include "engine/model/hyperparameters.h"

#include <span>
#include <vector>

namespace engine::fast {

/// An expert a token goes to, and how much of what it gives is taken.
struct ExpertChoice {
    int expert = 0;
    float weight = 0;
};

/// Chooses experts from a router's logits. Its buffers are made once; choosing allocates nothing.
/// One thread at a time.
class ExpertRouter {
public:
    /// `chooseByLogits`: the best are chosen by their logits, before the gating function.
    ExpertRouter(const ExpertHyperparameters& experts, bool chooseByLogits);

    /// `logits`: (experts). `bias`: (experts) added for the choice only, or empty. The result, by
    /// rising expert, is valid until the next call.
    std::span<const ExpertChoice> choose(std::span<const float> logits,
                                         std::span<const float> bias);

private:
    void gate(std::span<const float> logits);
    void keepBestGroups();
    void weigh();

    ExpertHyperparameters m_experts;
    bool m_chooseByLogits;
    std::vector<float> m_gates;
    std::vector<float> m_choice;
    std::vector<float> m_groupWorth;
    std::vector<int> m_order;
    std::vector<ExpertChoice> m_chosen;
};

} // namespace engine::fast
