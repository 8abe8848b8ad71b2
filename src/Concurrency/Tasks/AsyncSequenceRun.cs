using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>A for-each over an asynchronous sequence, which one worker at a time takes an item from.</summary>
/// <remarks>
/// <para>
/// A worker that finds another at the source rests, without a thread, in a list. The worker that leaves the source wakes one of
/// the list, unless one that was woken is still on its way: bodies that do not suspend would otherwise hand the source to and fro.
/// </para>
/// <para>
/// No worker rests for ever: a worker rests only while another is at the source, and that one, when it leaves, wakes the next
/// or knows of one on its way, which does the same. The worker that finds the source at its end, or the run stopped, wakes them all.
/// </para>
/// </remarks>
internal sealed class AsyncSequenceRun<T, TBody> : ForEachRun
    where TBody : struct, IForEachBody<T>
{
    private readonly Lock _gate = new();
    private readonly Stack<Worker> _resting = new();
    private IAsyncEnumerable<T>? _source;
    private IAsyncEnumerator<T>? _items;
    private TBody _body;
    private bool _isTaken;
    private bool _isOver;
    private bool _isOneOnItsWay;

    public static ValueTask Run(IAsyncEnumerable<T> source, int bound, TBody body, CancellationToken cancellation)
    {
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
        AsyncSequenceRun<T, TBody> run = Pool<AsyncSequenceRun<T, TBody>>.Rent();
        run._source = source;
        run._body = body;
        run._isTaken = run._isOver = run._isOneOnItsWay = false;
        return run.Start(bound, cancellation);
    }

    protected override ForEachWorker CreateWorker() => new Worker(this);

    protected override void EndSource() => _ = EndSourceAsync();

    private async Task EndSourceAsync()
    {
        try
        {
            if (_items is not null) await _items.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            Fail(failure);
        }

        Complete();
    }

    protected override void Release()
    {
        base.Release();
        _source = null;
        _items = null;
        _body = default;
        Pool<AsyncSequenceRun<T, TBody>>.Return(this);
    }

    private enum Entry
    {
        Taken,
        Resting,
        Over,
    }

    private Entry Enter(Worker worker, bool wasWoken)
    {
        lock (_gate)
        {
            if (wasWoken) _isOneOnItsWay = false;
            if (!_isOver && !IsStopped)
            {
                if (_isTaken)
                {
                    _resting.Push(worker);
                    return Entry.Resting;
                }

                _isTaken = true;
                return Entry.Taken;
            }

            if (!_isOver) CutShort();
            WakeAll();
            return Entry.Over;
        }
    }

    private void Leave(bool isOver)
    {
        lock (_gate)
        {
            _isTaken = false;
            _isOver |= isOver;
            if (_isOver || IsStopped)
            {
                WakeAll();
            }
            else if (!_isOneOnItsWay && _resting.TryPop(out Worker? next))
            {
                _isOneOnItsWay = true;
                next.Wake(asNext: true);
            }
        }
    }

    private void WakeAll()
    {
        while (_resting.TryPop(out Worker? worker)) worker.Wake(asNext: false);
    }

    private sealed class Worker(AsyncSequenceRun<T, TBody> run) : ForEachWorker(run)
    {
        private T? _item;
        private ValueTask<bool> _moving;
        private bool _isMoving;
        private bool _hasItem;
        private bool _wasWoken;
        private bool _hasStartedAnother;

        public void Wake(bool asNext)
        {
            _wasWoken = asNext;
            Queue();
        }

        protected override void Reset() => _isMoving = _hasItem = _wasWoken = _hasStartedAnother = false;

        protected override Outcome Work()
        {
            try
            {
                while (true)
                {
                    if (!_hasItem)
                    {
                        bool wasWoken = _wasWoken;
                        _wasWoken = false;
                        switch (run.Enter(this, wasWoken))
                        {
                            case Entry.Resting: return Outcome.Suspended;
                            case Entry.Over: return Outcome.Ended;
                        }

                        if (!Move()) return Suspend();
                        continue;
                    }

                    _hasItem = false;
                    if (!_hasStartedAnother)
                    {
                        _hasStartedAnother = true;
                        run.StartAnother();
                    }

                    ValueTask body = run._body.Invoke(_item!, run.Token);
                    if (!body.IsCompletedSuccessfully) return Suspend(body);
                    body.GetAwaiter().GetResult();
                    if (IsSliceOver(MachineClock.Now)) return Outcome.SliceOver;
                }
            }
            catch (Exception failure)
            {
                run.Fail(failure);
                if (_isMoving)
                {
                    // The source's task takes no look, or no awaiter: others must not wait for this worker to leave the source.
                    _isMoving = false;
                    _moving = default;
                    run.Leave(isOver: true);
                }

                return Outcome.Ended;
            }
        }

        protected override void TakeResult()
        {
            if (_isMoving) Moved();
            else base.TakeResult();
        }

        // Asks the source for an item; false where it must be waited for.
        private bool Move()
        {
            bool isOver = true;
            try
            {
                IAsyncEnumerator<T> items = run._items ??= run._source!.GetAsyncEnumerator(run.Token);
                Keep(items.MoveNextAsync());
                isOver = false;
            }
            finally
            {
                // One that has thrown is not asked again.
                if (isOver) run.Leave(isOver: true);
            }

            _isMoving = true;
            if (!_moving.IsCompleted) return false;
            Moved();
            return true;
        }

        private void Moved()
        {
            _isMoving = false;
            ValueTask<bool> moving = _moving;
            _moving = default;
            _hasItem = false;
            bool isOver = true;
            try
            {
                bool isThere = moving.GetAwaiter().GetResult();
                // Only then is there an item: what was here before has been handled.
                if (isThere) _item = run._items!.Current;
                // It may have stopped meanwhile: then no body begins with it.
                _hasItem = isThere && !run.IsStopped;
                isOver = !isThere;
            }
            finally
            {
                // One that has thrown is not asked again.
                run.Leave(isOver);
            }
        }

        private void Keep(ValueTask<bool> moving) => _moving = moving;

        private Outcome Suspend()
        {
            _moving.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(Continuation);
            return Outcome.Suspended;
        }
    }
}
