using System.Text.Json;
using System.Text.Json.Serialization;

namespace Raceway.Measuring;

/// <summary>Aims by the suite that has their cases: what <c>raceway compare --check FILE</c> reads.</summary>
public sealed class AimsFile
{
    private readonly Dictionary<string, Aim[]> _aims;

    private AimsFile(Dictionary<string, Aim[]> aims) => _aims = aims;

    /// <summary>The suites that it has aims for.</summary>
    public IReadOnlyCollection<string> Suites => _aims.Keys;

    /// <summary>The aims of a suite; none where the file has none for it.</summary>
    public IReadOnlyList<Aim> Of(string suite) => _aims.TryGetValue(suite, out Aim[]? aims) ? aims : [];

    /// <summary>Reads a file.</summary>
    /// <exception cref="JsonException">It is no such file. The message says where.</exception>
    public static AimsFile Load(string path)
    {
        using FileStream stream = File.OpenRead(path);
        Dictionary<string, Aim[]> aims = JsonSerializer.Deserialize(stream, AimsJson.Default.DictionaryStringAimArray)
            ?? throw new JsonException("It holds null.");
        foreach ((string suite, Aim[] all) in aims)
        {
            // What no constructor asked for: lists may hold nothing where something is meant.
            if (all?.All(static one => one?.Peers.All(static peer => peer is not null) == true) != true)
                throw new JsonException($"An aim of suite '{suite}' is null, or one of its peers is.");
            if (all.FirstOrDefault(static one => !double.IsFinite(one.Bound)) is { } endless)
                throw new JsonException($"Aim '{endless.Number}' of suite '{suite}' needs a bound that is a number.");
        }

        return new AimsFile(aims);
    }
}

/// <summary>How aims are read: without reflection, and nothing that an aim does not have.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    ReadCommentHandling = JsonCommentHandling.Skip)]
[JsonSerializable(typeof(Dictionary<string, Aim[]>))]
internal sealed partial class AimsJson : JsonSerializerContext;
