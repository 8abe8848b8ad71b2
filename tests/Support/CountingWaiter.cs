namespace Raceway.Tests.Support;

/// <summary>A waiter that counts its signals.</summary>
internal sealed class CountingWaiter : Waiter
{
    private int _signals;

    public int Signals => Volatile.Read(ref _signals);

    internal override void Signal() => Interlocked.Increment(ref _signals);
}
