using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Completing;
using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>A reader for any number of threads: each item goes to one of them.</summary>
/// <remarks>
/// A lock a call over the reader for one. However many wait, there is one wait for the stage (the watch), and its end releases
/// all of them. What moves items on by itself (a pump, a block, batches) takes the reader alone for as long as it runs.
/// </remarks>
internal sealed class SharedOutlet<T> : ChannelReader<T>
{
    private const int Looks = 16;

    private readonly Lock _gate = new();
    private readonly Outlet<T> _outlet;
    private readonly Action _onWoken;
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _watch;
    private ReadWait<T>? _waiting;
    private bool _watches;
    private bool _isTaken;
    private TaskCompletionSource? _watchEnds;

    public SharedOutlet(Outlet<T> outlet)
    {
        _outlet = outlet;
        _onWoken = OnWoken;
    }

    public override Task Completion => _outlet.Completion;

    public override bool CanCount => true;

    public override int Count => _outlet.Count;

    public override bool CanPeek => true;

    public override bool TryPeek([MaybeNullWhen(false)] out T item)
    {
        lock (_gate)
        {
            CheckNotTaken();
            return _outlet.TryPeek(out item);
        }
    }

    public override bool TryRead([MaybeNullWhen(false)] out T item)
    {
        lock (_gate)
        {
            CheckNotTaken();
            return _outlet.TryRead(out item);
        }
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        // An item that is published at this moment is met by a look or two; sleeping and being woken costs both sides far more.
        for (int look = 0; look <= Looks; look++)
        {
            Thread.SpinWait(look);
            lock (_gate)
            {
                CheckNotTaken();
                if (_outlet.TryPeek(out _)) return ValueTask.FromResult(true);
                if (_outlet.HasEnded) return EndAsync(cancellationToken);
                if (look == Looks || _watches) break;
            }
        }

        return WaitAsync(cancellationToken);
    }

    public override IAsyncEnumerable<T> ReadAllAsync(CancellationToken cancellationToken = default) =>
        new SharedItems<T>(this, cancellationToken);

    /// <summary>Takes the reader for one user alone, until <see cref="GiveBack"/>.</summary>
    /// <exception cref="InvalidOperationException">Another has taken it, or waits for items.</exception>
    public async ValueTask<Outlet<T>> TakeAsync()
    {
        Task? watchEnds = null;
        lock (_gate)
        {
            CheckNotTaken();
            if (_waiting is not null) throw BridgeErrors.ReaderWaits();
            _isTaken = true;
            if (_watches) watchEnds = (_watchEnds = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }

        if (watchEnds is not null)
        {
            // All that had waited were cancelled: nothing needs the watch any more.
            _outlet.Poller.Wake();
            await watchEnds.ConfigureAwait(false);
        }

        return _outlet;
    }

    /// <summary>Any caller may read again.</summary>
    public void GiveBack()
    {
        lock (_gate) _isTaken = false;
    }

    /// <summary>The token of a wait asks it to end.</summary>
    internal void Cancel(ReadWait<T> wait, CancellationToken cancellation)
    {
        bool found = false;
        lock (_gate)
        {
            ReadWait<T>? before = null;
            for (ReadWait<T>? one = _waiting; one is not null && !found; one = one.Behind)
            {
                found = one == wait;
                if (!found) before = one;
                else if (before is null) _waiting = one.Behind;
                else before.Behind = one.Behind;
            }
        }

        if (found) wait.End(new OperationCanceledException(cancellation));
    }

    private ValueTask<bool> WaitAsync(CancellationToken cancellation)
    {
        ReadWait<T> wait;
        ValueTask<bool> task;
        bool begins;
        lock (_gate)
        {
            CheckNotTaken();
            wait = Pool<ReadWait<T>>.Rent();
            task = wait.Task;
            wait.Behind = _waiting;
            _waiting = wait;
            begins = !_watches;
            _watches = true;
        }

        if (begins) Watch();
        wait.CancelBy(this, cancellation);
        return task;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> EndAsync(CancellationToken cancellation)
    {
        await _outlet.EndAsync(cancellation).ConfigureAwait(false);
        return false;
    }

    private void OnWoken()
    {
        if (TakeResult()) Watch();
    }

    // Until there are items, the end, or no wait any more. By hand, so that nothing is allocated for a wait.
    private void Watch()
    {
        do
        {
            if (!TryBegin()) return;
            if (_watch.IsCompleted) continue;
            // The last of it here: what ends the wait may be at the next one by now.
            _watch.UnsafeOnCompleted(_onWoken);
            return;
        }
        while (TakeResult());
    }

    private bool TryBegin()
    {
        ReadWait<T>? released = null;
        Exception? failure = null;
        lock (_gate)
        {
            try
            {
                if (_waiting is not null && !_outlet.TryPeek(out _))
                {
                    Await(_outlet.NextAsync());
                    return true;
                }
            }
            catch (Exception error)
            {
                failure = error;
            }

            released = EndWatch();
        }

        Release(released, found: true, failure);
        return false;
    }

    private void Await(ValueTask next) => _watch = next.ConfigureAwait(false).GetAwaiter();

    /// <summary>After what has been awaited: true where that was no end.</summary>
    private bool TakeResult()
    {
        ReadWait<T>? released;
        Exception? failure = null;
        lock (_gate)
        {
            try
            {
                _watch.GetResult();
                if (!_outlet.HasLived) return true;
            }
            catch (Exception error)
            {
                failure = error;
            }

            released = EndWatch();
        }

        Release(released, found: false, failure);
        return false;
    }

    private ReadWait<T>? EndWatch()
    {
        ReadWait<T>? all = _waiting;
        _waiting = null;
        _watches = false;
        _watchEnds?.TrySetResult();
        _watchEnds = null;
        return all;
    }

    private static void Release(ReadWait<T>? waiting, bool found, Exception? failure)
    {
        while (waiting is not null)
        {
            ReadWait<T>? next = waiting.Behind;
            if (failure is null) waiting.End(found);
            else waiting.End(failure);
            waiting = next;
        }
    }

    private void CheckNotTaken()
    {
        if (_isTaken) throw BridgeErrors.ReaderTaken();
    }
}

/// <summary>One of those that wait for items.</summary>
internal sealed class ReadWait<T> : PooledCompletion<bool>
{
    private SharedOutlet<T>? _outlet;
    private CancellationToken _cancellation;
    private CancellationTokenRegistration _registration;

    internal ReadWait<T>? Behind;

    public void CancelBy(SharedOutlet<T> outlet, CancellationToken cancellation)
    {
        if (!cancellation.CanBeCanceled) return;
        (_outlet, _cancellation) = (outlet, cancellation);
        _registration = cancellation.UnsafeRegister(
            static one => ((ReadWait<T>)one!)._outlet!.Cancel((ReadWait<T>)one, ((ReadWait<T>)one)._cancellation), this);
    }

    public void End(bool found)
    {
        RunContinuationsAsynchronously = true;
        SetResult(found);
    }

    public void End(Exception failure)
    {
        RunContinuationsAsynchronously = true;
        SetException(failure);
    }

    protected override void Release()
    {
        // Waits for a callback under way: after this nothing else knows this object.
        _registration.Dispose();
        _registration = default;
        _cancellation = default;
        _outlet = null;
        Behind = null;
        Pool<ReadWait<T>>.Return(this);
    }
}
