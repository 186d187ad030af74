#include "core/remote/ssh_config.h"

#include "core/base/file.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr int kDeepestInclude = 16;  // as in ssh
constexpr std::size_t kMostHosts = 1000;
constexpr std::size_t kMostFiles = 256;  // of files that include each other
constexpr std::uintmax_t kLargestFile = 4U << 20;

/// The words of a line; the first ends at a blank or "=", and quotes group a word.
std::vector<std::string> wordsOf(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool isQuoted = false, hasWord = false;
    for (const char c : line) {
        if (c == '"') {
            isQuoted = !isQuoted;
            hasWord = true;
        } else if (!isQuoted && (std::isspace(static_cast<unsigned char>(c)) != 0 || (words.empty() && c == '='))) {
            if (hasWord) words.push_back(std::move(word));
            word.clear();
            hasWord = false;
        } else if (!isQuoted && c == '#' && !hasWord) {
            break;
        } else {
            word.push_back(c);
            hasWord = true;
        }
    }
    if (hasWord) words.push_back(std::move(word));
    return words;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Files that match a pattern; only its last part may have wildcards.
std::vector<fs::path> filesOf(const std::string& pattern, const fs::path& folder) {
    fs::path path = pattern.starts_with("~/") ? folder.parent_path() / pattern.substr(2) : fs::path(pattern);
    if (path.is_relative()) path = folder / path;
    std::error_code code;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path.parent_path(), code))
        if (::fnmatch(path.filename().c_str(), entry.path().filename().c_str(), FNM_PERIOD) == 0)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

struct Reading {
    std::vector<std::string> hosts;
    std::size_t numFiles = 0;
};

void read(const fs::path& file, const fs::path& folder, int depth, Reading& reading) {
    std::vector<std::string>& hosts = reading.hosts;
    std::error_code code;
    if (++reading.numFiles > kMostFiles) return;
    if (!fs::is_regular_file(file, code) || fs::file_size(file, code) > kLargestFile) return;
    const auto text = readFile(file);
    if (!text) return;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = wordsOf(line);
        if (words.size() < 2) continue;
        const std::string keyword = lower(words.front());
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (keyword == "include" && depth < kDeepestInclude)
                for (const fs::path& other : filesOf(words[i], folder)) read(other, folder, depth + 1, reading);
            const bool isPattern = words[i].find_first_of("*?!") != std::string::npos;
            if (keyword == "host" && !isPattern && hosts.size() < kMostHosts &&
                std::find(hosts.begin(), hosts.end(), words[i]) == hosts.end())
                hosts.push_back(words[i]);
        }
    }
}

}  // namespace

std::vector<std::string> hostsInSshConfig(const fs::path& folder) {
    Reading reading;
    read(folder / "config", folder, 0, reading);
    return std::move(reading.hosts);
}

fs::path sshFolder() {
    const char* home = std::getenv("HOME");
    return fs::path(home == nullptr ? "/" : home) / ".ssh";
}

}  // namespace slipway
