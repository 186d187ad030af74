#include "trainer/kernels/plain_kernels.h"

#include <atomic>

namespace slipway::trainer {
namespace {

std::atomic<int> s_plainAttentions{0}, s_plainRows{0};

}  // namespace

PlainKernels::PlainKernels(Choice choice) : m_choice(choice) {
    s_plainAttentions += m_choice.attention ? 1 : 0;
    s_plainRows += m_choice.rows ? 1 : 0;
}

PlainKernels::~PlainKernels() {
    s_plainAttentions -= m_choice.attention ? 1 : 0;
    s_plainRows -= m_choice.rows ? 1 : 0;
}

bool PlainKernels::ofAttention() {
    return s_plainAttentions > 0;
}

bool PlainKernels::ofRows() {
    return s_plainRows > 0;
}

}  // namespace slipway::trainer
