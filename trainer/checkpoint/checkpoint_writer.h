// Writes checkpoints while training continues: begin() copies this rank's part to host memory (pinned with a GPU), a
// thread writes it to the disk, finish() commits it.
//   writer.begin(mark, state);   ... steps ...   if (writer.isWritten() on all ranks) writer.finish();
// At most one is in progress. Until finish() has written the manifest, the previous checkpoint is the newest.
#pragma once

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/checkpoint/write_plan.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

namespace slipway::trainer {

struct FinishedCheckpoint {
    CheckpointMark mark;
    std::uint64_t bytes = 0;  ///< of all ranks' files
    double writeSeconds = 0;  ///< slowest rank, from the end of staging to the end of fsync
    double stallSeconds = 0;  ///< of this rank: in begin() and in finish()
};

class CheckpointWriter {
public:
    /// The targets of `context` must outlive it.
    explicit CheckpointWriter(const CheckpointContext& context) : m_context(context) {}
    /// Waits for the thread; an unfinished checkpoint does not count.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    /// Stages the state and starts to write. None may be in progress. `state` may change as soon as it returns. A
    /// collective.
    Result<void> begin(const CheckpointMark& mark, const std::vector<StateTensor>& state);
    [[nodiscard]] bool isUnderWay() const { return m_mark.has_value(); }
    /// This rank's file is on the disk, or failed: finish() will not wait for this rank.
    [[nodiscard]] bool isWritten() const { return m_isWritten.load(std::memory_order_acquire); }
    /// Waits for all ranks' files, then manifest and retention. On any rank's failure the files are removed and all
    /// ranks return the same error. A collective; one must be in progress.
    Result<FinishedCheckpoint> finish();

private:
    void plan(const std::vector<StateTensor>& state);
    void stage(const std::vector<StateTensor>& state);
    void write();
    Result<void> publish(std::vector<ManifestFile> files);

    CheckpointContext m_context;
    bool m_isPlanned = false;
    std::vector<WritePart> m_parts;  ///< this rank's parts of the state
    std::unique_ptr<std::byte[]> m_host;
    at::Tensor m_pinned;  ///< instead of m_host with a GPU
    std::byte* m_buffer = nullptr;
    std::uint64_t m_bufferBytes = 0;
    std::optional<CheckpointMark> m_mark;
    std::vector<RawTensor> m_tensors;  ///< into the buffer
    ManifestFile m_file;
    std::thread m_thread;
    std::atomic<bool> m_isWritten{false};
    std::string m_report;  ///< of the thread, for all ranks
    double m_beginSeconds = 0;
};

}  // namespace slipway::trainer
