using System.Runtime.InteropServices;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>What a call is given, and what its handler makes of it.</summary>
public interface IMessage<TSelf>
    where TSelf : struct, IMessage<TSelf>
{
    /// <summary>The message of one number, for one stream.</summary>
    static abstract TSelf Create(Ledger ledger, long number);

    /// <summary>The body of every handler.</summary>
    static abstract long Handle(in TSelf message);

    /// <summary>The same of a handler that may suspend; by default it does not.</summary>
    static virtual ValueTask<long> HandleAsync(in TSelf message) => new(TSelf.Handle(in message));

    /// <summary>What the results of the numbers below <paramref name="count"/> add up to.</summary>
    static abstract long Expected(long count);
}

/// <summary>What the handlers of one stream write: it shows whether two were at once, or one came too early.</summary>
public sealed class Ledger
{
    private long _sum;

    /// <summary>What a caller's handlers use again, where they need something.</summary>
    internal Hopping.Hop Hop => field ??= new Hopping.Hop();

    /// <summary>How many numbers came.</summary>
    public long Count { get; private set; }

    /// <summary>Whether each came in its order.</summary>
    public bool InOrder { get; private set; } = true;

    /// <summary>Adds a number; returns the sum so far, which no other order gives.</summary>
    public long Add(long number)
    {
        if (number != Count) InOrder = false;
        Count++;
        return _sum += number;
    }
}

/// <summary>A message of a stream: 16 bytes.</summary>
public readonly struct Order(Ledger ledger, long number) : IMessage<Order>
{
    private readonly Ledger _ledger = ledger;
    private readonly long _number = number;

    /// <inheritdoc/>
    public static Order Create(Ledger ledger, long number) => new(ledger, number);

    /// <inheritdoc/>
    public static long Handle(in Order message) => message._ledger.Add(message._number);

    /// <inheritdoc/>
    public static long Expected(long count)
    {
        long sum = 0, total = 0;
        for (long number = 0; number < count; number++) total += sum += number;
        return total;
    }
}

/// <summary>A number in 8 bytes.</summary>
public struct Block8 : IMessage<Block8>
{
    private long _number;

    /// <inheritdoc/>
    public static Block8 Create(Ledger ledger, long number) => new() { _number = number };

    /// <inheritdoc/>
    public static long Handle(in Block8 message) => message._number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;
}

/// <summary>A number in 32 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 32)]
public struct Block32 : IMessage<Block32>
{
    private long _number;

    /// <inheritdoc/>
    public static Block32 Create(Ledger ledger, long number) => new() { _number = number };

    /// <inheritdoc/>
    public static long Handle(in Block32 message) => message._number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;
}

/// <summary>A number in 72 bytes, the size of the write-up's context.</summary>
[StructLayout(LayoutKind.Sequential, Size = 72)]
public struct Block72 : IMessage<Block72>
{
    private long _number;

    /// <inheritdoc/>
    public static Block72 Create(Ledger ledger, long number) => new() { _number = number };

    /// <inheritdoc/>
    public static long Handle(in Block72 message) => message._number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;
}

/// <summary>A number in 128 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
public struct Block128 : IMessage<Block128>
{
    private long _number;

    /// <inheritdoc/>
    public static Block128 Create(Ledger ledger, long number) => new() { _number = number };

    /// <inheritdoc/>
    public static long Handle(in Block128 message) => message._number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;
}

/// <summary>A number in 256 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 256)]
public struct Block256 : IMessage<Block256>
{
    private long _number;

    /// <inheritdoc/>
    public static Block256 Create(Ledger ledger, long number) => new() { _number = number };

    /// <inheritdoc/>
    public static long Handle(in Block256 message) => message._number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;
}

/// <summary>A number in an object that is made for it: 8 bytes to pass, and 24 to allocate.</summary>
public readonly struct Boxed(Boxed.Content content) : IMessage<Boxed>
{
    private readonly Content _content = content;

    /// <inheritdoc/>
    public static Boxed Create(Ledger ledger, long number) => new(new Content(number));

    /// <inheritdoc/>
    public static long Handle(in Boxed message) => message._content.Number + 1;

    /// <inheritdoc/>
    public static long Expected(long count) => count * (count + 1) / 2;

    /// <summary>The object.</summary>
    public sealed class Content(long number)
    {
        /// <summary>The number.</summary>
        public long Number { get; } = number;
    }
}
