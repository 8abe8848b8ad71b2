using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>The beginning of a ring as the writer of a channel.</summary>
internal abstract class PipelineWriter<T>(Ring ring) : ChannelWriter<T>
{
    public sealed override bool TryComplete(Exception? error = null) => ring.TryComplete(error);

    /// <summary>Why it takes no more, as writers of channels are told.</summary>
    public ChannelClosedException Refusal() => new(ring.Refusal());

    protected static bool IsRefusal(Exception error) =>
        error is RingStoppedException or RingFaultedException or ObjectDisposedException;

    // If the ring ends while an item is written, the producer throws: the status of a try was decided before. Only then: what is
    // thrown while the ring is open is the caller's, and a false would make it wait for room and try for ever.
    protected bool IsLate(Exception error) => IsRefusal(error) && ring.IsClosed;

    protected bool IsClosed => ring.IsClosed;

    // Where it has been completed nothing is wrong: there never will be room.
    protected ValueTask<bool> Closed() => ring.Refusal() is var refusal and not RingStoppedException
        ? ValueTask.FromException<bool>(refusal)
        : ValueTask.FromResult(false);
}
