namespace Raceway.Concurrency;

/// <summary>A call that waits for its turn, and can be cancelled until it has begun.</summary>
/// <remarks>
/// A cancelled call ends for its caller at once, but stays in its line until its turn comes: unlinking it would need a lock
/// that every other call pays for. So it is given back by whichever lets go of it second, its caller or its line.
/// </remarks>
/// <typeparam name="TResult">What it results in.</typeparam>
internal abstract class Call<TResult> : PooledCompletion<TResult>
{
    private const int Waiting = 0;
    private const int Begun = 1;
    private const int Cancelled = 2;
    private const int LetGo = 3;

    private CancellationTokenRegistration _registration;
    private int _life;

    /// <summary>The caller's token.</summary>
    protected CancellationToken Cancellation { get; private set; }

    /// <summary>Ends it when the token is signalled while it waits. Called before it is put into a line.</summary>
    public void CancelBy(CancellationToken cancellation)
    {
        if (!cancellation.CanBeCanceled) return;
        Cancellation = cancellation;
        _registration = cancellation.UnsafeRegister(static call => ((Call<TResult>)call!).Cancel(), this);
    }

    /// <summary>It comes into no line after all; its caller is told by other means.</summary>
    public void Withdraw() => TryBegin();

    /// <summary>Its turn has come; false where it was cancelled, and must not be touched any more.</summary>
    protected bool TryBegin()
    {
        if (!Cancellation.CanBeCanceled) return true;
        if (Interlocked.CompareExchange(ref _life, Begun, Waiting) != Waiting)
        {
            LetGoOfCancelled();
            return false;
        }

        // Waits for a callback that has just come too late, or it could meet the next call of this node.
        _registration.Dispose();
        return true;
    }

    /// <summary>Clears what derived classes hold, and returns it to the pool.</summary>
    protected abstract void Recycle();

    /// <inheritdoc/>
    protected sealed override void Release()
    {
        if (Cancellation.CanBeCanceled)
        {
            if (Volatile.Read(ref _life) is Cancelled or LetGo)
            {
                LetGoOfCancelled();
                return;
            }

            ForgetToken();
        }

        Recycle();
    }

    private void ForgetToken()
    {
        _registration = default;
        Cancellation = default;
        _life = Waiting;
    }

    private void Cancel()
    {
        if (Interlocked.CompareExchange(ref _life, Cancelled, Waiting) != Waiting) return;
        // Code that signals a token does not expect to run others' code for long.
        Publish(new OperationCanceledException(Cancellation)).Queue();
    }

    private void LetGoOfCancelled()
    {
        // ORDER: full fence, pairs with itself: the second sees all that the first has done.
        if (Interlocked.CompareExchange(ref _life, LetGo, Cancelled) == Cancelled) return;
        ForgetToken();
        Recycle();
    }
}
