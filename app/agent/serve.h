// slipway-agent --serve: answers a launcher over standard input and output, through ssh. It is stateless: it ends with the link, and the
// runs it started continue. Requests and answers are frames (core/remote/frame.h). Each request {"id": n, "do": "...", ...} gets exactly
// one answer with its id, or with "error": {"code", "message"} where it failed:
//
//   hello                                 version, host, boot, clock, folders
//   facts    home                         processors, memory, disk, GPUs, interfaces
//   trainer  home, path                   the trainer that would run here and its version
//   have     home, sha256, bytes          how much of a file is here
//   put      home, sha256, bytes, offset  the next piece of it; the whole is checked by its hash
//   place    home, sha256, path, execute  such a file under a name below the home
//   write    home, run, path              a small file of a run folder
//   start    home, run, node, secret      slipway-agent for the run, detached from birth
//   status   home, run, node, attempt, known, least_ms, patience_ms   is its agent alive, and which files does the run folder have, with
//                                         a digest of it. While the agent is alive and the digest is the known one, the answer comes
//                                         after patience_ms, and never before least_ms; at once when the agent ends
//   read     home, run, path, offset, lines   bytes of one of them
//   runs     home                         the ids of the runs in the home
//   listen   address / connect address, port   whether nodes reach each other, and from which address; port address: one that is free
//   bench    trainer, parts, ranks, ...    starts slipway-trainer bench; killed with the link
//   bench_look                            whether it runs still, and what it printed
//   setup    home, torch                  starts lib/slipway/libtorch.sh of the trainer in the home, or reports its progress
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

/// Serves until the input ends, two minutes pass without a request, or a frame is not one. @param agent this program
/// @return the exit code of the program
int serveAgent(int input, int output, const std::string& nonce, const std::filesystem::path& agent);

}  // namespace slipway
