using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The two ends of a ring, for what brings items into it and takes them out: sources and sinks.</summary>
/// <remarks>A pipeline has the same by itself. A ring of a pipeline stands for all of it: they have one life.</remarks>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(1024);
/// Poller&lt;Order> poller = ring.AttachPoller();
/// ring.Start();
/// await ring.GetPublisher().PublishAsync(order, cancellation);
/// await poller.WaitAsync(cancellation);
/// using PolledBatch&lt;Order> batch = poller.Poll();
/// </code>
/// </example>
public static class RingEnds
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

    /// <summary>Adds a poller behind all last stages: it sees what they have passed, and holds producers back.</summary>
    /// <remarks>
    /// Pollers stand beside each other: each sees every item, and none waits for what another has not polled. It sees what is
    /// passed from now on; before the start, everything.
    /// </remarks>
    /// <param name="ring">The ring to poll.</param>
    /// <param name="name">The name of its stage. Default: one that is free.</param>
    /// <exception cref="ArgumentException">The name is taken.</exception>
    /// <exception cref="InvalidOperationException">The ring is draining or has ended.</exception>
    public static Poller<T> AttachPoller<T>(this RingBuffer<T> ring, string? name = null)
    {
        ArgumentNullException.ThrowIfNull(ring);
        if (name is not null && ring.Stages.Any(stage => stage.Name == name)) throw RingErrors.DuplicateName(name, nameof(name));
        return new Poller<T>(default, ring.Slots, new StageOptions { Name = name, After = LastOf(ring.Stages) });
    }

    /// <summary>
    /// Lets nothing more in. When everything inside has been handled, the ring ends by itself, and with it the pipeline that it
    /// belongs to: stopped, or faulted with <paramref name="error"/>.
    /// </summary>
    /// <remarks><b>Threads</b>: any; the first call counts. <b>Blocking</b>: never.</remarks>
    /// <param name="ring">What the source publishes into.</param>
    /// <param name="error">What the source has failed with; null where it has come to its end.</param>
    /// <returns>False where nothing was let in any more already.</returns>
    public static bool TryComplete(this Ring ring, Exception? error = null)
    {
        ArgumentNullException.ThrowIfNull(ring);
        return new PipelineLife(ring).TryComplete(error);
    }

    /// <summary>Those that no other follows, pollers apart.</summary>
    internal static IReadOnlyList<Stage> LastOf(IReadOnlyList<Stage> stages)
    {
        List<Stage> handling = [.. stages.Where(static stage => stage.GetHandler<object>() is not IPolled)];
        return [.. handling.Where(stage => !handling.Exists(other => other.Upstream.Contains(stage)))];
    }

    private static class Publishers<T>
    {
        public static readonly ConditionalWeakTable<RingBuffer<T>, Publisher<T>> All = [];
    }
}
