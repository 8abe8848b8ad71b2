using System.Text.Json;
using System.Text.Json.Serialization;

namespace Raceway.Measuring;

/// <summary>
/// The serialisation of <see cref="ResultFile"/>, generated at build time: no reflection, safe to compile ahead.
/// </summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    WriteIndented = true)]
[JsonSerializable(typeof(ResultFile))]
internal sealed partial class ResultJson : JsonSerializerContext
{
    private static ResultJson? s_oneLine;

    /// <summary>The same on one line.</summary>
    public static ResultJson OneLine => s_oneLine ??= new(new JsonSerializerOptions(Default.Options) { WriteIndented = false });
}
