using System.Buffers;

namespace Raceway.Proof.Tests.Faults;

/// <summary>A pool that finds misuse, and fails when it is told to.</summary>
internal sealed class FaultyPool : ArrayPool<byte>
{
    private int _refusals;
    private int _failingReturns;

    public PoisonPool Inner { get; } = new();

    /// <summary>How many of the next rents throw.</summary>
    public int Refusals
    {
        get => Volatile.Read(ref _refusals);
        set => Volatile.Write(ref _refusals, value);
    }

    /// <summary>How many of the next returns throw, after they have taken the array.</summary>
    public int FailingReturns
    {
        get => Volatile.Read(ref _failingReturns);
        set => Volatile.Write(ref _failingReturns, value);
    }

    /// <summary>Arrays that came back to be cleared.</summary>
    public int Cleared { get; private set; }

    public override byte[] Rent(int minimumLength) =>
        Refusals > 0 && Interlocked.Decrement(ref _refusals) >= 0
            ? throw new InsufficientMemoryException("The pool refuses.")
            : Inner.Rent(minimumLength);

    public override void Return(byte[] array, bool clearArray = false)
    {
        Inner.Return(array, clearArray);
        if (clearArray) Cleared++;
        if (FailingReturns > 0 && Interlocked.Decrement(ref _failingReturns) >= 0)
            throw new IOException("The pool fails to take it back.");
    }
}
