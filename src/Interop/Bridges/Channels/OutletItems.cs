namespace Raceway.Interop;

/// <summary>The items of a way out as a sequence.</summary>
/// <remarks>By hand: an iterator of the compiler saves and restores its context at every item, which costs more than the item.</remarks>
internal sealed class OutletItems<T>(Outlet<T> outlet, CancellationToken cancellation) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (!cancellation.CanBeCanceled || cancellation == cancellationToken) return new Enumerator(outlet, null, cancellationToken);
        if (!cancellationToken.CanBeCanceled) return new Enumerator(outlet, null, cancellation);
        var both = CancellationTokenSource.CreateLinkedTokenSource(cancellation, cancellationToken);
        return new Enumerator(outlet, both, both.Token);
    }

    private sealed class Enumerator(Outlet<T> outlet, CancellationTokenSource? linked, CancellationToken cancellation)
        : IAsyncEnumerator<T>
    {
        private T _current = default!;
        private bool _waits;

        public T Current
        {
            get
            {
                if (_waits) Take();
                return _current;
            }
        }

        public ValueTask<bool> MoveNextAsync()
        {
            // What has been waited for, and was not looked at.
            if (_waits) Take();
            if (outlet.TryRead(out _current!)) return new ValueTask<bool>(true);
            // Nothing is taken by a wait: what it finds is taken when it is looked at.
            _waits = true;
            return outlet.WaitToReadAsync(cancellation);
        }

        public ValueTask DisposeAsync()
        {
            linked?.Dispose();
            return ValueTask.CompletedTask;
        }

        // A wait that was cancelled has found nothing: what has come since is the next item, and not looked at yet.
        private void Take()
        {
            _waits = false;
            if (!outlet.HasFound || !outlet.TryRead(out _current!)) _current = default!;
        }
    }
}
