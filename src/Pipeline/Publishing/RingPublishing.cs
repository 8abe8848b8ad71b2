using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Publishers of rings.</summary>
public static class RingPublishing
{
    /// <summary>Publishes into the ring from any thread: the same publisher for every caller, made when it is first asked for.</summary>
    /// <remarks>It takes one of the ring's producers, for good. Ask once and keep it: this looks it up.</remarks>
    /// <exception cref="InvalidOperationException">The ring has all its producers.</exception>
    public static Publisher<T> GetPublisher<T>(this RingBuffer<T> ring)
    {
        ArgumentNullException.ThrowIfNull(ring);
        if (Publishers<T>.All.TryGetValue(ring, out Publisher<T>? publisher)) return publisher;
        // Under a lock: two that asked at the same moment would both take a producer.
        lock (Publishers<T>.All) return Publishers<T>.All.GetValue(ring, static ring => new Publisher<T>(ring));
    }

    private static class Publishers<T>
    {
        public static readonly ConditionalWeakTable<RingBuffer<T>, Publisher<T>> All = [];
    }
}
