// Memory of a node beside that of its devices, as vendors and clouds list it for the systems that have a device: JSON in
// resources/hosts, embedded in the program at build time.
//   listedHost("NVIDIA H100 SXM 80 GB")->bytes   // a DGX H100
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct ListedHost {
    std::string device, system;
    double bytes = 0;  ///< of one node
    std::string source, date;
};
const std::vector<ListedHost>& listedHosts();
/// The system whose links the hardware library has, the first that is listed with this device, or null: unknown is not zero.
const ListedHost* listedHost(std::string_view device);

}  // namespace slipway
