using System.Threading.Channels;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>The beginning of a ring as the writer of a channel.</summary>
internal abstract class PipelineWriter<T>(Ring ring) : ChannelWriter<T>
{
    /// <summary>What it publishes into, as a whole.</summary>
    public Life Life { get; } = new(ring);

    public sealed override bool TryComplete(Exception? error = null) => Life.Complete(error);

    /// <summary>Why it takes no more, as writers of channels are told.</summary>
    public ChannelClosedException Refusal() => new(ring.Refusal());

    protected static bool IsRefusal(Exception error) =>
        error is RingStoppedException or RingFaultedException or ObjectDisposedException;

    // If the ring ends while an item is written, the producer throws: the status of a try was decided before. Only then: what is
    // thrown while the ring is open is the caller's, and a false would make it wait for room and try for ever.
    protected bool IsLate(Exception error) => IsRefusal(error) && ring.Control.IsClosed;

    protected bool IsClosed => ring.Control.IsClosed;

    protected ValueTask<bool> Closed() =>
        Life.Refusal() is { } refusal ? ValueTask.FromException<bool>(refusal) : ValueTask.FromResult(false);
}
