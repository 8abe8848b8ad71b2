using System.Runtime.CompilerServices;

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

        public T Current => _current;

        public ValueTask<bool> MoveNextAsync() =>
            outlet.TryRead(out _current!) ? new ValueTask<bool>(true) : WaitForNextAsync();

        public ValueTask DisposeAsync()
        {
            linked?.Dispose();
            return ValueTask.CompletedTask;
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        private async ValueTask<bool> WaitForNextAsync()
        {
            while (await outlet.WaitToReadAsync(cancellation).ConfigureAwait(false))
                if (outlet.TryRead(out _current!)) return true;
            return false;
        }
    }
}
