// A model's config.json by its place on the Hugging Face hub or by URL. Asked for by a person, one document a call.
//   auto text = fetchConfig("hf:meta-llama/Llama-3.1-8B", {});   // or https://huggingface.co/ORG/NAME, any https URL
#pragma once

#include "core/net/http.h"

#include <string>

namespace slipway::interop {

struct RemoteOptions {
    std::string hub = "https://huggingface.co";
    HttpOptions http = {};  ///< `token` goes to the hub alone
};

/// True for "hf:ORG/NAME" and for URLs of any scheme.
bool isRemote(const std::string& place);

/// The address of the document. "hf:ORG/NAME", "hf:ORG/NAME@REVISION", a model's page and a file's page on the hub become
/// the file's own address; other URLs stay as they are. "bad_url" when it names no model.
Result<std::string> configUrl(const std::string& place, const std::string& hub = RemoteOptions{}.hub);

/// The document's text. Errors of httpGet(); those of the hub say what to do about licences and tokens.
Result<std::string> fetchConfig(const std::string& place, const RemoteOptions& options);

/// The hub's token of the environment (HF_TOKEN, else HUGGING_FACE_HUB_TOKEN); empty when there is none. It is never
/// stored, logged or shown.
std::string hubToken();

/// Name of the model of a place, for the run: "Llama-3.1-8B"; empty when the place does not say.
std::string modelNameOf(const std::string& place);

}  // namespace slipway::interop
