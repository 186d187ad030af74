#include "trainer/comm/gather_text.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>

namespace slipway::trainer {

std::vector<std::string> gatherTexts(ProcessGroup& group, const std::string& mine, at::Device device) {
    at::Tensor length = at::zeros({1}, at::kLong);
    length.mutable_data_ptr<std::int64_t>()[0] = static_cast<std::int64_t>(mine.size());
    length = length.to(device);
    at::Tensor lengths = at::empty({group.size()}, length.options());
    group.allGather(lengths, length)->wait();
    lengths = lengths.cpu();
    const std::int64_t* sizes = lengths.const_data_ptr<std::int64_t>();
    const std::int64_t widest = std::max<std::int64_t>(1, *std::max_element(sizes, sizes + group.size()));

    at::Tensor text = at::zeros({widest}, at::kByte);
    std::memcpy(text.mutable_data_ptr(), mine.data(), mine.size());
    text = text.to(device);
    at::Tensor texts = at::empty({widest * group.size()}, text.options());
    group.allGather(texts, text)->wait();
    texts = texts.cpu();
    std::vector<std::string> all;
    for (int rank = 0; rank < group.size(); ++rank) {
        const auto* begin = reinterpret_cast<const char*>(texts.const_data_ptr<std::uint8_t>()) + rank * widest;
        all.emplace_back(begin, begin + sizes[rank]);
    }
    return all;
}

}  // namespace slipway::trainer
