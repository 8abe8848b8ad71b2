using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Publishes from any thread: there is no handle to pass round. See <see cref="Pipeline{T}.Publisher"/>.</summary>
/// <remarks>
/// <para>It has one producer of the ring, whatever its kind, and lends it to one call at a time. A thread that publishes all
/// the time is better off with a producer of its own.</para>
/// <para><b>Threads</b>: every member by any thread, also by handlers of the same pipeline.</para>
/// <para><b>Blocking</b>: Publish waits for room, asleep, and throws when the ring is draining, stopped, faulted or disposed.
/// Timed calls wait for at most their time. Try calls never wait: they say full also while another call's writer is at work.
/// The async ones hold no thread. A wait owns nothing, so that it can be cancelled without a trace.</para>
/// <para><b>Cost</b>: a lock and a publish; nothing is allocated, but to register the token of a wait that can be cancelled.</para>
/// <para><b>Order</b>: the calls of one caller are handled in their order, also if it does not await one before the next. Calls
/// that wait get room in the order in which they came.</para>
/// <para><b>Writers</b> run one at a time, so they must be short. The writer of an async call that has waited runs on the thread
/// that found the room: another caller's, or the pool's. A writer must not use the publisher.</para>
/// <para><b>Errors</b>: those of <see cref="Producer{T}.Publish(in T)"/>. A handler of the pipeline is never made to wait for
/// itself: it gets <see cref="ReentrantPublishException"/>.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// await Parallel.ForEachAsync(orders, async (order, token) => await pipeline.Publisher.PublishAsync(order, token));
/// </code>
/// </example>
public sealed class Publisher<T>
{
    [ThreadStatic]
    private static bool t_finds;

    private readonly Func<RingBuffer<T>>? _find;
    private PublishingLine<T>? _found;

    internal Publisher(RingBuffer<T> ring) => _found = new PublishingLine<T>(ring.CreateProducerToLend());

    /// <summary>One that is handed out before its ring or pipeline is built: it publishes as the ring's own does.</summary>
    /// <param name="find">
    /// Gives the ring; that of a pipeline is <see cref="Pipeline{T}.Ring"/>. Any thread that uses the publisher may call it, until it
    /// has given one. What it throws, the caller of the publisher gets. It must not use this publisher.
    /// </param>
    public Publisher(Func<RingBuffer<T>> find)
    {
        ArgumentNullException.ThrowIfNull(find);
        _find = find;
    }

    private PublishingLine<T> Line => _found ?? Find();

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room.</summary>
    /// <param name="item">What to publish.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <exception cref="RingStoppedException">The ring takes no more items.</exception>
    /// <exception cref="RingFaultedException">A stage has failed; the inner exception is the cause.</exception>
    /// <exception cref="ObjectDisposedException">The ring has been disposed.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this pipeline, and the ring is full.</exception>
    /// <exception cref="ThreadInterruptedException">Interrupted while waiting; nothing is published.</exception>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is published.</exception>
    /// <exception cref="InvalidOperationException">Called by a writer of this publisher.</exception>
    // Before the one with a span: Publish(default) is an item, not an empty span.
    [OverloadResolutionPriority(1)]
    public void Publish(in T item, CancellationToken cancellation = default)
    {
        var copying = new Copying<T>(item);
        if (Line.TryAtOnce(ref copying) != ClaimStatus.Done) Wait(ref copying, cancellation);
    }

    /// <summary>Fills the next slot by <paramref name="write"/>, waiting for room. If it throws, nothing is published.</summary>
    /// <param name="state">What <paramref name="write"/> is given.</param>
    /// <param name="write">Fills the slot.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="Publish(in T, CancellationToken)" path="/exception"/>
    public void Publish<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new Writing<T, TState>(state, write);
        if (Line.TryAtOnce(ref writing) != ClaimStatus.Done) Wait(ref writing, cancellation);
    }

    /// <summary>
    /// Copies all of <paramref name="items"/> into slots, as there is room. Others may come between them. Cancelled or refused
    /// in the middle, it has published what had room before.
    /// </summary>
    /// <param name="items">What to publish.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="Publish(in T, CancellationToken)" path="/exception"/>
    public void Publish(ReadOnlySpan<T> items, CancellationToken cancellation = default)
    {
        if (items.IsEmpty) return;
        var copying = new CopyingMany<T>(items);
        if (Line.TryAtOnce(ref copying) != ClaimStatus.Done) Wait(ref copying, cancellation);
    }

    /// <summary>
    /// Copies <paramref name="payload"/> into the next slot's pooled buffer and fills the rest of the slot by
    /// <paramref name="write"/>, waiting for room.
    /// </summary>
    /// <param name="payload">The bytes.</param>
    /// <param name="state">What <paramref name="write"/> is given.</param>
    /// <param name="write">Fills the slot.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <exception cref="ArgumentOutOfRangeException">Longer than the ring's maximum; nothing is published.</exception>
    /// <exception cref="InvalidOperationException">The ring has no payloads.</exception>
    /// <inheritdoc cref="Publish(in T, CancellationToken)" path="/exception"/>
    public void PublishPayload<TState>(
        ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new WritingPayload<T, TState>(payload, state, write);
        Line.CheckPayload(payload.Length);
        if (Line.TryAtOnce(ref writing) != ClaimStatus.Done) Wait(ref writing, cancellation);
    }

    /// <summary><see cref="Publish(in T, CancellationToken)"/> if there is room now.</summary>
    /// <returns>Done, full or stopped.</returns>
    public ClaimStatus TryPublish(in T item)
    {
        var copying = new Copying<T>(item);
        ClaimStatus status = Line.TryAtOnce(ref copying);
        return status == ClaimStatus.Full ? Line.TryNow(ref copying) : status;
    }

    /// <summary><see cref="Publish{TState}(TState, SlotWriter{T, TState}, CancellationToken)"/> if there is room now.</summary>
    /// <returns>Done, full or stopped.</returns>
    public ClaimStatus TryPublish<TState>(TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new Writing<T, TState>(state, write);
        ClaimStatus status = Line.TryAtOnce(ref writing);
        return status == ClaimStatus.Full ? Line.TryNow(ref writing) : status;
    }

    /// <summary><see cref="PublishPayload"/> if there is room now.</summary>
    /// <returns>Done, full, stopped or too large.</returns>
    public ClaimStatus TryPublishPayload<TState>(ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new WritingPayload<T, TState>(payload, state, write);
        ClaimStatus status = Line.TryAtOnce(ref writing);
        return status == ClaimStatus.Full ? Line.TryNow(ref writing) : status;
    }

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for at most <paramref name="timeout"/> in all.</summary>
    /// <returns>Done, timed out or stopped.</returns>
    /// <exception cref="ReentrantPublishException">Called by a handler of this pipeline, and the ring is full.</exception>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is published.</exception>
    public ClaimStatus TryPublish(in T item, TimeSpan timeout, CancellationToken cancellation = default)
    {
        var copying = new Copying<T>(item);
        return TryFor(ref copying, timeout, cancellation);
    }

    /// <summary>
    /// Fills the next slot by <paramref name="write"/>, waiting for at most <paramref name="timeout"/> in all.
    /// </summary>
    /// <inheritdoc cref="TryPublish(in T, TimeSpan, CancellationToken)"/>
    public ClaimStatus TryPublish<TState>(
        TState state, SlotWriter<T, TState> write, TimeSpan timeout, CancellationToken cancellation = default)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new Writing<T, TState>(state, write);
        return TryFor(ref writing, timeout, cancellation);
    }

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room without holding a thread.</summary>
    /// <remarks>The task is pooled where it waits: await it once.</remarks>
    /// <param name="item">What to publish.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="Publish(in T, CancellationToken)" path="/exception"/>
    public ValueTask PublishAsync(T item, CancellationToken cancellation = default)
    {
        var copying = new Copying<T>(item);
        if (!MustDefer(ref copying, cancellation, out ValueTask done)) return done;
        DeferredCopy<T> call = Pool<DeferredCopy<T>>.Rent();
        call.Item = item;
        return Line.Defer(call, cancellation);
    }

    /// <summary>Fills the next slot by <paramref name="write"/>, waiting for room without holding a thread.</summary>
    /// <param name="state">What <paramref name="write"/> is given.</param>
    /// <param name="write">Fills the slot. If it throws, nothing is published.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(write);
        var writing = new Writing<T, TState>(state, write);
        if (!MustDefer(ref writing, cancellation, out ValueTask done)) return done;
        DeferredWrite<T, TState> call = Pool<DeferredWrite<T, TState>>.Rent();
        (call.State, call.Write) = (state, write);
        return Line.Defer(call, cancellation);
    }

    /// <summary>
    /// Copies all of <paramref name="items"/> into slots, as there is room, without holding a thread. Others may come between
    /// them. Cancelled or refused in the middle, it has published what had room before.
    /// </summary>
    /// <param name="items">What to publish; not to be changed until the task has completed.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync(ReadOnlyMemory<T> items, CancellationToken cancellation = default)
    {
        if (items.IsEmpty) return ValueTask.CompletedTask;
        var copying = new CopyingMany<T>(items.Span);
        if (!MustDefer(ref copying, cancellation, out ValueTask done)) return done;
        DeferredMany<T> call = Pool<DeferredMany<T>>.Rent();
        call.Items = items[^copying.Left..];
        return Line.Defer(call, cancellation);
    }

    /// <summary>Waits, without holding a thread, until there is room. Another caller may take it first.</summary>
    /// <remarks>The task is pooled where it waits: await it once.</remarks>
    /// <param name="cancellation">Ends the wait.</param>
    /// <returns>False when the ring takes no more items.</returns>
    /// <exception cref="ReentrantPublishException">Called by a handler of this pipeline, and the ring is full.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask<bool> WaitForRoomAsync(CancellationToken cancellation = default)
    {
        var looking = default(Looking<T>);
        ClaimStatus status = Line.TryAtOnce(ref looking);
        if (status == ClaimStatus.Full) status = Line.TryNow(ref looking);
        if (status == ClaimStatus.Full && Line.IsOwnHandler) return ValueTask.FromException<bool>(ClaimErrors.Reentrant());
        if (status != ClaimStatus.Full) return ValueTask.FromResult(status == ClaimStatus.Done);
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellation);
        return Line.DeferForResult(Pool<DeferredRoom<T>>.Rent(), cancellation);
    }

    /// <inheritdoc cref="RingEnds.TryComplete"/>
    public bool TryComplete(Exception? error = null) => Line.Ring.TryComplete(error);

    // There was none at once: waits, or says why not.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wait<TPublication>(ref TPublication publication, CancellationToken cancellation)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        if (Line.Publish(ref publication, Clock.Never, cancellation) != ClaimStatus.Done) throw Line.Ring.Refusal();
    }

    private ClaimStatus TryFor<TPublication>(ref TPublication publication, TimeSpan timeout, CancellationToken cancellation)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan) throw WaitErrors.Timeout(nameof(timeout), timeout);
        ClaimStatus status = Line.TryAtOnce(ref publication);
        if (status != ClaimStatus.Full) return status;
        if (timeout != TimeSpan.Zero) return Line.Publish(ref publication, Line.Ring.Clock.In(timeout), cancellation);
        status = Line.TryNow(ref publication);
        return status == ClaimStatus.Full ? ClaimStatus.TimedOut : status;
    }

    /// <summary>Tries it now; false where that is all, and <paramref name="done"/> has the end.</summary>
    private bool MustDefer<TPublication>(ref TPublication publication, CancellationToken cancellation, out ValueTask done)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        done = ValueTask.CompletedTask;
        try
        {
            ClaimStatus status = Line.TryAtOnce(ref publication);
            if (status == ClaimStatus.Full)
            {
                status = Line.IsOwnHandler
                    ? Line.PublishAsHandler(ref publication, Clock.Never, CancellationToken.None)
                    : Line.TryNow(ref publication);
            }

            if (status == ClaimStatus.Stopped) done = ValueTask.FromException(Line.Ring.Refusal());
            else if (status == ClaimStatus.Full && cancellation.IsCancellationRequested) done = ValueTask.FromCanceled(cancellation);
            else return status == ClaimStatus.Full;
        }
        catch (Exception failure)
        {
            // Of a writer, or the ring has ended meanwhile.
            done = ValueTask.FromException(failure);
        }

        return false;
    }

    // Two at the same moment find the same.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishingLine<T> Find()
    {
        if (t_finds) throw PublishingErrors.FindsItself();
        t_finds = true;
        try
        {
            RingBuffer<T> found = _find!() ?? throw PublishingErrors.FindsNothing();
            return _found = found.GetPublisher().Line;
        }
        finally
        {
            t_finds = false;
        }
    }
}
