using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Waits for a cell without a thread. For one wait at a time, and any number of them.</summary>
/// <remarks>
/// <para>The state of a wait is pooled. Now and then one is allocated, if waits end on other threads than they begin.</para>
/// <para>It is awaited itself: the thread that ends the wait queues the continuation to the thread pool, and runs none of it.</para>
/// </remarks>
internal sealed class AsyncWaiter : Waiter, ICriticalNotifyCompletion, IThreadPoolWorkItem, IDisposable
{
    private static readonly Action s_over = static () => { };

    private Alarms? _alarms;
    private Action? _continuation;
    private Action? _queued;
    private bool _signalled;
    private int _waits; // 1 while a wait is under way: there is one continuation, and one link

    /// <summary>When the last wait was ended.</summary>
    public long EndedAt { get; private set; }

    public bool IsCompleted => ReferenceEquals(Volatile.Read(ref _continuation), s_over);

    public AsyncWaiter GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    // The context flows with the async method that awaits.
    public void UnsafeOnCompleted(Action continuation)
    {
        // ORDER: full; pairs with End: either the continuation is here for it, or it is found over.
        if (Interlocked.CompareExchange(ref _continuation, continuation, null) is not null) Queue(continuation);
    }

    /// <summary>Waits until <paramref name="target"/> is over, its deadline, or cancellation. May return early.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="InvalidOperationException">A wait is under way already.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForAsync(WaitTarget target, CancellationToken cancellation = default)
    {
        if (target.IsOver) return;
        if (Interlocked.Exchange(ref _waits, 1) != 0) throw WaitErrors.AlreadyWaiting();
        try
        {
            Volatile.Write(ref _continuation, null);
            Volatile.Write(ref _signalled, false);
            target.Cell.Arm(this, target.Awaited);
            if (target.IsOver && target.Cell.Disarm(this)) return;
            CancellationTokenRegistration registration =
                cancellation.UnsafeRegister(static waiter => ((AsyncWaiter)waiter!).Wake(), this);
            try
            {
                if ((_alarms is not null || target.HasDeadline) && !(_alarms ??= new Alarms(Wake)).TrySet(target)) Wake();
                await this;
                cancellation.ThrowIfCancellationRequested();
            }
            finally
            {
                registration.Dispose();
                _alarms?.Clear();
                // Where it cannot be taken back, its signal is on its way and must arrive before it is armed anew.
                while (!Volatile.Read(ref _signalled) && !target.Cell.Disarm(this)) Thread.Yield();
            }
        }
        finally
        {
            Volatile.Write(ref _waits, 0);
        }
    }

    /// <summary>Ends the wait without a signal of its cell (cancellation, deadline). One that comes late ends the next one early.</summary>
    public void Wake() => End();

    public void Dispose() => _alarms?.Dispose();

    void IThreadPoolWorkItem.Execute() => _queued!();

    internal override void Signal()
    {
        End();
        // ORDER: release, and the last of it: a thread that sees this may use the waiter again.
        Volatile.Write(ref _signalled, true);
    }

    private void End()
    {
        EndedAt = MachineClock.Now;
        // ORDER: full; pairs with UnsafeOnCompleted. The thread that takes the continuation queues it.
        Action? continuation = Interlocked.Exchange(ref _continuation, s_over);
        if (continuation is not null && !ReferenceEquals(continuation, s_over)) Queue(continuation);
    }

    private void Queue(Action continuation)
    {
        _queued = continuation;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
