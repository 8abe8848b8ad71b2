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
internal sealed partial class ResultJson : JsonSerializerContext;
