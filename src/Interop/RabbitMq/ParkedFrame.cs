using System.Security.Cryptography;
using System.Text;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>A frame in the parked queue of a link, and what it holds.</summary>
/// <example>
/// <code>
/// await using var transport = new RabbitMqTransport();
/// var link = new LinkAddress("orders.priced", Partitions: 8);
/// foreach (ParkedFrame frame in await transport.ListParkedAsync(link)) Console.WriteLine(frame.Reason);
/// int back = await transport.PutBackParkedAsync(link, static frame => frame.Error == FrameError.None);
/// </code>
/// </example>
public sealed class ParkedFrame
{
    private readonly LinkFrame _frame;

    internal ParkedFrame(LinkAddress link, LinkKeys? keys, BasicGetResult message)
    {
        _frame = new LinkFrame(message.Body, keys);
        if (LastDeath(message.BasicProperties) is not { } death) return;
        Reason = TextOf(death, "reason");
        if (death.TryGetValue("time", out object? time) && time is AmqpTimestamp at) ParkedAt = DateTimeOffset.FromUnixTimeSeconds(at.UnixTime);
        string queue = TextOf(death, "queue");
        for (int i = 0; i < link.Partitions && Partition is null; i++)
            if (link.QueueOf(i) == queue) Partition = i;
    }

    /// <summary>The same for the same bytes.</summary>
    internal Guid Id => new(SHA256.HashData(Body.Span).AsSpan(0, 16));

    /// <inheritdoc cref="LinkFrame.Body"/>
    public ReadOnlyMemory<byte> Body => _frame.Body;

    /// <inheritdoc cref="LinkFrame.Error"/>
    public FrameError Error => _frame.Error;

    /// <summary>What parked it, in the broker's words: "rejected" by a worker, or "delivery_limit" by a policy of the broker.</summary>
    public string Reason { get; } = "";

    /// <summary>The partition that it was in; null if the broker does not say.</summary>
    public int? Partition { get; }

    /// <summary>When it was parked, by the broker's clock; null if the broker does not say.</summary>
    public DateTimeOffset? ParkedAt { get; }

    /// <inheritdoc cref="LinkFrame.Stream"/>
    public LinkStream? Stream => _frame.Stream;

    /// <inheritdoc cref="LinkFrame.First"/>
    public long First => _frame.First;

    /// <inheritdoc cref="LinkFrame.Count"/>
    public int Count => _frame.Count;

    /// <inheritdoc cref="LinkFrame.Read"/>
    public IReadOnlyList<T> Read<T>(IItemCodec<T> codec)
        where T : new() => _frame.Read(codec);

    /// <summary>What it holds, without an item's bytes.</summary>
    public override string ToString() => $"{(Error == FrameError.None ? "" : $"partition {Partition}, ")}{_frame}: {Reason}";

    // The broker puts its own entry first, whatever the sender wrote.
    private static IDictionary<string, object?>? LastDeath(IReadOnlyBasicProperties properties) =>
        properties.Headers is { } headers && headers.TryGetValue("x-death", out object? deaths)
        && deaths is IList<object?> { Count: > 0 } list ? list[0] as IDictionary<string, object?> : null;

    private static string TextOf(IDictionary<string, object?> death, string name) =>
        death.TryGetValue(name, out object? value) && value is byte[] bytes ? Encoding.UTF8.GetString(bytes) : "";
}
