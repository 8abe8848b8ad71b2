using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading.Channels;
using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>A reader for one at a time: a poller behind the reader of a channel. All ways out stand on it.</summary>
/// <remarks>
/// It takes items by the batch, copies them, and releases their slots, so that one poll serves many reads and nothing is lent
/// between reads: a halt never waits for a reader. What it has copied stays readable whatever happens to the pipeline,
/// and a wait that is cancelled has taken nothing.
/// </remarks>
internal sealed class Outlet<T> : ChannelReader<T>
{
    private const int MostAtOnce = 256;
    private const int Looks = 16;

    private readonly Poller<T> _poller;
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Waiting _waiting;
    private T[] _items;
    private int _next;
    private int _count;
    private bool _ended;
    private bool _lifeEnded;
    private int _fills;
    private SharedOutlet<T>? _shared;
    private int _kind;

    public Outlet(Poller<T> poller)
    {
        _poller = poller;
        _waiting = new Waiting(this);
        // No more than half of what the ring holds: producers go on while the rest is read.
        _items = new T[Math.Min(MostAtOnce, Math.Max(1, poller.Stage.Ring.Capacity / 2))];
        poller.Completion.ContinueWith(
            static (_, outlet) => ((Outlet<T>)outlet!).OnLifeEnded(), this, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>The stage it polls.</summary>
    public Poller<T> Poller => _poller;

    /// <summary>Whether the stage has ended: what was taken is all there is.</summary>
    public bool HasEnded => _ended;

    /// <summary>Whether the end has been awaited.</summary>
    public bool HasLived { get; private set; }

    /// <summary>The same for several at a time.</summary>
    public SharedOutlet<T> Shared => Volatile.Read(ref _shared) ?? NewShared();

    /// <summary>Whether the last wait has ended with items, and not by its token or the end.</summary>
    public bool HasFound { get; private set; }

    public override Task Completion => _completion.Task;

    public override bool CanCount => true;

    public override int Count => (int)Math.Min(int.MaxValue, Volatile.Read(ref _count) - Volatile.Read(ref _next) + _poller.Stage.Lag);

    public override bool CanPeek => true;

    public override bool TryPeek([MaybeNullWhen(false)] out T item)
    {
        bool found = _next < _count || Fill();
        item = found ? _items[_next] : default;
        return found;
    }

    public override bool TryRead([MaybeNullWhen(false)] out T item)
    {
        if (_next == _count && !Fill())
        {
            item = default;
            return false;
        }

        ref T slot = ref _items[_next];
        item = slot;
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>()) slot = default!;
        Took(1);
        return true;
    }

    public override IAsyncEnumerable<T> ReadAllAsync(CancellationToken cancellationToken = default) =>
        new OutletItems<T>(this, cancellationToken);

    /// <summary>All that a poll gives, valid until the next call; empty where there is nothing at the moment.</summary>
    public ReadOnlyMemory<T> TakeBatch()
    {
        if (_next == _count && !Fill()) return default;
        var batch = new ReadOnlyMemory<T>(_items, _next, _count - _next);
        Took(batch.Length);
        return batch;
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        HasFound = false;
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        HasFound = _next < _count || Fill();
        return HasFound ? ValueTask.FromResult(true) : WaitForItems(cancellationToken);
    }

    private ValueTask<bool> WaitForItems(CancellationToken cancellation)
    {
        // An item that is published at this moment is met by a look or two; going to sleep and being woken costs both sides far more.
        for (int look = 1; look <= Looks && !_ended; look++)
        {
            Thread.SpinWait(look);
            HasFound = Fill();
            if (HasFound) return ValueTask.FromResult(true);
        }

        return _waiting.For(cancellation);
    }

    /// <summary>This reader, or the one for several. The first that asks decides for all.</summary>
    /// <exception cref="InvalidOperationException">The others have asked for the other kind.</exception>
    public ChannelReader<T> For(bool single)
    {
        int kind = single ? 1 : 2;
        int first = Interlocked.CompareExchange(ref _kind, kind, 0);
        if (first != 0 && first != kind) throw BridgeErrors.OtherKind(_poller.Stage.Name, first == 1);
        return single ? this : Shared;
    }

    /// <summary>What to wait for next: items, or how everything ended.</summary>
    public ValueTask NextAsync() => _ended ? LiveAsync() : _poller.WaitAsync(CancellationToken.None);

    private async ValueTask LiveAsync()
    {
        HasLived = true;
        await EndAsync(CancellationToken.None).ConfigureAwait(false);
    }

    private SharedOutlet<T> NewShared()
    {
        var shared = new SharedOutlet<T>(this);
        return Interlocked.CompareExchange(ref _shared, shared, null) ?? shared;
    }

    /// <summary>Completes when everything has ended; throws how, where that was no good end.</summary>
    public async ValueTask EndAsync(CancellationToken cancellation)
    {
        await _poller.Completion.WaitAsync(cancellation).ConfigureAwait(false);
    }

    private bool Fill()
    {
        if (_ended) return false;
        // A second user is told here at the latest; a look into what was taken costs nothing for it.
        if (Interlocked.Exchange(ref _fills, 1) != 0) throw BridgeErrors.SecondUser();
        try
        {
            int count = 0;
            // Behind a filter or router a step's items come in runs. All of them: one that stays on offer is taken back at a halt.
            do count = Take(count);
            while (_poller.HasMore);
            return count > 0;
        }
        finally
        {
            Volatile.Write(ref _fills, 0);
        }
    }

    /// <summary>Copies what a poll gives behind the first <paramref name="count"/>; returns how many there are then.</summary>
    private int Take(int count)
    {
        using PolledBatch<T> batch = _poller.Poll(_items.Length);
        _ended = batch.Status == PollStatus.Ended;
        if (batch.Count == 0) return count;
        // Other code that steps the stage beside this reader may have asked for more.
        if (count + batch.Count > _items.Length) Array.Resize(ref _items, count + batch.Count);
        foreach (ref T item in batch) _items[count++] = item;
        _next = 0;
        // Before the slots are released: until then the life does not end, so its end finds what is here.
        Volatile.Write(ref _count, count);
        return count;
    }

    private void Took(int count)
    {
        Volatile.Write(ref _next, _next + count);
        // ORDER: a load after a store; pairs with the process-wide barrier of OnLifeEnded: the last to come sees the other.
        if (_next == _count && Volatile.Read(ref _lifeEnded)) Finish();
    }

    private void OnLifeEnded()
    {
        Volatile.Write(ref _lifeEnded, true);
        Interlocked.MemoryBarrierProcessWide();
        if (Volatile.Read(ref _next) == Volatile.Read(ref _count)) Finish();
    }

    private void Finish()
    {
        if (_poller.Completion.Exception is not { } failure)
        {
            _completion.TrySetResult();
            return;
        }

        _completion.TrySetException(failure.InnerException!);
        // The reader is told as well: a program need not look at the task.
        _ = _completion.Task.Exception;
    }

    /// <summary>Until there are items, or there never will be.</summary>
    private sealed class Waiting(Outlet<T> outlet) : OwnWait
    {
        private CancellationToken _cancellation;
        private bool _awaitsEnd;

        public ValueTask<bool> For(CancellationToken cancellation)
        {
            _cancellation = cancellation;
            return new ValueTask<bool>(this, Begin(Next()));
        }

        protected override bool IsOver(out bool result, out ValueTask next)
        {
            result = !_awaitsEnd && outlet.Fill();
            outlet.HasFound = result;
            bool over = _awaitsEnd || result;
            next = over ? default : Next();
            return over;
        }

        private ValueTask Next()
        {
            _awaitsEnd = outlet._ended;
            return _awaitsEnd ? outlet.EndAsync(_cancellation) : outlet._poller.WaitAsync(_cancellation);
        }
    }
}
