using System.Text.Json;
using System.Text.Json.Serialization;

namespace Raceway.Analysis.Tuning;

/// <summary>What the process of a user's assembly answers: a line of JSON each.</summary>
/// <param name="Name">The first answer: what it runs trials of.</param>
/// <param name="Reply">What came out of a trial.</param>
/// <param name="Error">Why there is neither, in a sentence.</param>
internal sealed record TrialMessage(string? Name = null, TrialReply? Reply = null, string? Error = null)
{
    public string ToJson() => JsonSerializer.Serialize(this, TrialJson.Default.TrialMessage);

    public static TrialMessage? Parse(string line) => JsonSerializer.Deserialize(line, TrialJson.Default.TrialMessage);

    public static string ToJson(TrialRequest request) => JsonSerializer.Serialize(request, TrialJson.Default.TrialRequest);

    public static TrialRequest? ParseRequest(string line) => JsonSerializer.Deserialize(line, TrialJson.Default.TrialRequest);
}

/// <summary>The serialisation of what goes between the two processes.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TrialMessage))]
[JsonSerializable(typeof(TrialRequest))]
internal sealed partial class TrialJson : JsonSerializerContext;
