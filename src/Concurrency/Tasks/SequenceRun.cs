using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>A for-each over a sequence, which workers take from one item at a time, one after another.</summary>
/// <remarks>
/// Nothing is taken ahead: a source that blocks (a <c>GetConsumingEnumerable</c>) would keep back what it has given already.
/// The price is a lock an item. While the source blocks, so do the threads of the workers that wait for it.
/// </remarks>
internal sealed class SequenceRun<T, TBody> : ForEachRun
    where TBody : struct, IForEachBody<T>
{
    private readonly Lock _gate = new();
    private IEnumerator<T>? _items;
    private TBody _body;
    private bool _isOver;

    public static ValueTask Run(IEnumerable<T> items, int bound, TBody body, CancellationToken cancellation)
    {
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
        IEnumerator<T> enumerator = items.GetEnumerator();
        SequenceRun<T, TBody> run = Pool<SequenceRun<T, TBody>>.Rent();
        run._items = enumerator;
        run._body = body;
        run._isOver = false;
        return run.Start(bound, cancellation);
    }

    protected override ForEachWorker CreateWorker() => new Worker(this);

    protected override void EndSource()
    {
        try
        {
            _items!.Dispose();
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
        _items = null;
        _body = default;
        Pool<SequenceRun<T, TBody>>.Return(this);
    }

    private bool TryTake(out T? item)
    {
        lock (_gate)
        {
            if (!_isOver && !IsStopped)
            {
                // One that has thrown is not asked again.
                _isOver = true;
                _isOver = !_items!.MoveNext();
                // It may have stopped while the source was asked.
                if (!_isOver && !IsStopped)
                {
                    item = _items.Current;
                    return true;
                }
            }

            if (!_isOver) CutShort();
        }

        item = default;
        return false;
    }

    private sealed class Worker(SequenceRun<T, TBody> run) : ForEachWorker(run)
    {
        private bool _hasStartedAnother;

        protected override void Reset() => _hasStartedAnother = false;

        protected override Outcome Work()
        {
            try
            {
                while (run.TryTake(out T? item))
                {
                    if (!_hasStartedAnother)
                    {
                        _hasStartedAnother = true;
                        run.StartAnother();
                    }

                    ValueTask body = run._body.Invoke(item!, run.Token);
                    if (!body.IsCompletedSuccessfully) return Suspend(body);
                    body.GetAwaiter().GetResult();
                    if (IsSliceOver(MachineClock.Now)) return Outcome.SliceOver;
                }
            }
            catch (Exception failure)
            {
                run.Fail(failure);
            }

            return Outcome.Ended;
        }
    }
}
