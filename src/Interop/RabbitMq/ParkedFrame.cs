using System.Security.Cryptography;
using System.Text;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>A frame in the parked queue of a link, and what it holds.</summary>
public sealed class ParkedFrame
{
    private readonly FrameHeader _header;

    internal ParkedFrame(LinkAddress link, LinkKeys? keys, BasicGetResult message)
    {
        Body = message.Body;
        Error = FrameHeader.Open(Body.Span, int.MaxValue, out _header, keys);
        if (LastDeath(message.BasicProperties) is not { } death) return;
        Reason = TextOf(death, "reason");
        if (death.TryGetValue("time", out object? time) && time is AmqpTimestamp at) ParkedAt = DateTimeOffset.FromUnixTimeSeconds(at.UnixTime);
        string queue = TextOf(death, "queue");
        for (int i = 0; i < link.Partitions && Partition is null; i++)
            if (link.QueueOf(i) == queue) Partition = i;
    }

    /// <summary>The same for the same bytes.</summary>
    internal Guid Id => new(SHA256.HashData(Body.Span).AsSpan(0, 16));

    /// <summary>Its bytes, as they were sent.</summary>
    public ReadOnlyMemory<byte> Body { get; }

    /// <summary><see cref="FrameError.None"/>, or why it is not a frame of a link.</summary>
    public FrameError Error { get; }

    /// <summary>What parked it, in the broker's words: "rejected" by a worker, or "delivery_limit" by a policy of the broker.</summary>
    public string Reason { get; } = "";

    /// <summary>The partition that it was in; null if the broker does not say.</summary>
    public int? Partition { get; }

    /// <summary>When it was parked, by the broker's clock; null if the broker does not say.</summary>
    public DateTimeOffset? ParkedAt { get; }

    /// <summary>The stream of its items; null if it is not a frame.</summary>
    public LinkStream? Stream => Error == FrameError.None ? new LinkStream(_header.Producer, _header.Epoch, _header.Partition) : null;

    /// <summary>The number of its first item in the stream.</summary>
    public long First => _header.First;

    /// <summary>How many items it holds; 0 if it is not a frame.</summary>
    public int Count => _header.Count;

    /// <summary>Reads its items, to see their keys for example.</summary>
    /// <param name="codec">The link's.</param>
    /// <typeparam name="T">The item type.</typeparam>
    /// <exception cref="InvalidOperationException">It is not a frame.</exception>
    public IReadOnlyList<T> Read<T>(IItemCodec<T> codec)
        where T : new()
    {
        ArgumentNullException.ThrowIfNull(codec);
        if (Error != FrameError.None) throw RabbitMqErrors.NotAFrame(Error);
        var items = new T[Count];
        for (int i = 0, at = FrameHeader.Size; i < items.Length; i++)
        {
            items[i] = new T();
            codec.Read(FrameItems.Next(Body.Span, _header.ItemLength, ref at), ref items[i]);
        }

        return items;
    }

    /// <summary>What it holds, without an item's bytes.</summary>
    public override string ToString() => Error == FrameError.None
        ? $"partition {_header.Partition}, items {First} to {_header.Last} of producer {_header.Producer:x16}, epoch {_header.Epoch}: {Reason}"
        : $"partition {Partition}, {Body.Length} bytes that are no frame ({Error}): {Reason}";

    // The broker puts its own entry first, whatever the sender wrote.
    private static IDictionary<string, object?>? LastDeath(IReadOnlyBasicProperties properties) =>
        properties.Headers is { } headers && headers.TryGetValue("x-death", out object? deaths)
        && deaths is IList<object?> { Count: > 0 } list ? list[0] as IDictionary<string, object?> : null;

    private static string TextOf(IDictionary<string, object?> death, string name) =>
        death.TryGetValue(name, out object? value) && value is byte[] bytes ? Encoding.UTF8.GetString(bytes) : "";
}
