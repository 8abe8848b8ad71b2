using System.Buffers;

namespace Raceway.Tests.Support;

/// <summary>A pool that finds misuse: returned arrays are poisoned, and returning twice or a foreign array throws.</summary>
/// <remarks>
/// Arrays are exactly as long as asked for, so that the runtime's bounds checks stand for canaries behind them. What is
/// returned lies in quarantine, unused, for the next <see cref="MostInQuarantine"/> returns: whoever writes into it by then
/// is found, and who reads it finds poison. It is never rented again, so a late reader never sees another one's bytes.
/// </remarks>
internal sealed class PoisonPool : ArrayPool<byte>
{
    public const byte Poison = 0xDB;

    public const int MostInQuarantine = 1_024;

    private const int MostNamed = 5;

    // What a new array holds: its content is undefined, and must not be taken for zeros.
    private const byte Fresh = 0xCD;

    // A handler that has interrupted its own thread may return an array.
    private readonly object _gate = new();
    private readonly Dictionary<byte[], long> _rented = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<byte[]> _quarantine = [];
    private int _writtenAfterReturn;

    public int Rented { get; private set; }

    public int Returned { get; private set; }

    public int Misuses { get; private set; }

    /// <summary>Arrays not returned.</summary>
    public int Outstanding => Rented - Returned;

    public override byte[] Rent(int minimumLength)
    {
        byte[] array = GC.AllocateUninitializedArray<byte>(minimumLength);
        Array.Fill(array, Fresh);
        Gate.Enter(_gate);
        _rented.Add(array, ++Rented);
        Gate.Exit(_gate);
        return array;
    }

    public override void Return(byte[] array, bool clearArray = false)
    {
        Gate.Enter(_gate);
        try
        {
            if (!_rented.Remove(array))
            {
                Misuses++;
                throw new InvalidOperationException("Returned twice, or never rented.");
            }

            Array.Fill(array, Poison);
            Returned++;
            _quarantine.Enqueue(array);
            if (_quarantine.Count > MostInQuarantine && !IsIntact(_quarantine.Dequeue())) _writtenAfterReturn++;
        }
        finally
        {
            Gate.Exit(_gate);
        }
    }

    /// <summary>True where nobody has written into an array after returning it.</summary>
    public bool QuarantineIsIntact()
    {
        Gate.Enter(_gate);
        try
        {
            return _writtenAfterReturn == 0 && _quarantine.All(IsIntact);
        }
        finally
        {
            Gate.Exit(_gate);
        }
    }

    /// <summary>What is wrong once everything should be back: leaks by the order of renting, misuses; empty where nothing is.</summary>
    public string Census()
    {
        Gate.Enter(_gate);
        try
        {
            string leaks = string.Join(", ", _rented.Take(MostNamed).Select(leak => $"number {leak.Value} of {leak.Key.Length} bytes"));
            string wrong = _rented.Count == 0 ? "" : $"{_rented.Count} of {Rented} arrays not returned: {leaks}. ";
            if (Misuses > 0) wrong += $"{Misuses} returned twice, or never rented. ";
            return QuarantineIsIntact() ? wrong : wrong + "Written after the return. ";
        }
        finally
        {
            Gate.Exit(_gate);
        }
    }

    private static bool IsIntact(byte[] array) => array.AsSpan().IndexOfAnyExcept(Poison) < 0;
}
