// Problems that an operator does not support. It reports them only by an exception, like a transient error: one failure
// switches to the next operator for that call only, three in a row permanently.
//   if (!refusals.isFinal(key)) try { result = f(); refusals.served(key); } catch (const c10::Error&) {
//   refusals.failed(key); }
#pragma once

#include <map>
#include <mutex>

namespace slipway::trainer {

template <class Key>
class OperatorRefusals {
public:
    static constexpr int kFailuresInARow = 3;

    [[nodiscard]] bool isFinal(const Key& key) const { return failures(key) >= kFailuresInARow; }
    /// Failures since the operator's last success.
    [[nodiscard]] int failures(const Key& key) const {
        const std::lock_guard lock(m_mutex);
        const auto found = m_failures.find(key);
        return found == m_failures.end() ? 0 : found->second;
    }
    void failed(const Key& key) {
        const std::lock_guard lock(m_mutex);
        ++m_failures[key];
    }
    void served(const Key& key) {
        const std::lock_guard lock(m_mutex);
        const auto found = m_failures.find(key);
        if (found != m_failures.end() && found->second < kFailuresInARow) m_failures.erase(found);
    }

private:
    mutable std::mutex m_mutex;
    std::map<Key, int> m_failures;
};

}  // namespace slipway::trainer
