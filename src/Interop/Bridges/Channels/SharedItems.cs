using System.Runtime.CompilerServices;

namespace Raceway.Interop;

/// <summary>The items of a shared reader as a sequence: of several that enumerate, each item goes to one.</summary>
internal sealed class SharedItems<T>(SharedOutlet<T> outlet, CancellationToken cancellation) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (!cancellation.CanBeCanceled || cancellation == cancellationToken) return new Enumerator(outlet, null, cancellationToken);
        if (!cancellationToken.CanBeCanceled) return new Enumerator(outlet, null, cancellation);
        var both = CancellationTokenSource.CreateLinkedTokenSource(cancellation, cancellationToken);
        return new Enumerator(outlet, both, both.Token);
    }

    private sealed class Enumerator(SharedOutlet<T> outlet, CancellationTokenSource? linked, CancellationToken cancellation)
        : IAsyncEnumerator<T>
    {
        private T _current = default!;

        public T Current => _current;

        public ValueTask<bool> MoveNextAsync() => outlet.TryRead(out _current!) ? new ValueTask<bool>(true) : MoveWhenThereAsync();

        public ValueTask DisposeAsync()
        {
            linked?.Dispose();
            return ValueTask.CompletedTask;
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        private async ValueTask<bool> MoveWhenThereAsync()
        {
            while (await outlet.WaitToReadAsync(cancellation).ConfigureAwait(false))
                if (outlet.TryRead(out _current!)) return true;
            return false;
        }
    }
}
