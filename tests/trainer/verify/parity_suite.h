// Runs a list of layouts against one process, sharing the one process's side between layouts of one model.
#pragma once

#include "tests/trainer/verify/layout_cases.h"
#include "trainer/verify/verify.h"

#include <algorithm>
#include <map>
#include <string>

namespace slipway::test {

class ParitySuite {
public:
    trainer::VerifyReport run(const RunConfig& config, trainer::Bug bug = trainer::Bug::None) {
        const trainer::VerifyOptions options{5, bug};
        const std::string key = configHash(trainer::verifiedConfig(config, true));
        auto it = m_references.find(key);
        if (it == m_references.end()) it = m_references.emplace(key, trainer::makeReference(config, options)).first;
        trainer::VerifyReport report = trainer::verifyInProcess(config, it->second, options);
        if (bug == trainer::Bug::None) {
            ++m_numLayouts;
            m_largestGradient = std::max(m_largestGradient, report.largestGradientDifference);
            m_largestWeight = std::max(m_largestWeight, report.largestWeightDifference);
            m_largestLoss = std::max(m_largestLoss, report.lossDifference);
        }
        return report;
    }

    [[nodiscard]] std::string summary() const {
        char text[200];
        std::snprintf(
            text, sizeof text,
            "parity: %zu layouts, largest difference of gradients %.2e, weights after 5 clipped steps %.2e, loss %.2e",
            m_numLayouts, m_largestGradient, m_largestWeight, m_largestLoss);
        return text;
    }

private:
    std::map<std::string, trainer::Reference> m_references;
    std::size_t m_numLayouts = 0;
    double m_largestGradient = 0, m_largestWeight = 0, m_largestLoss = 0;
};

}  // namespace slipway::test
