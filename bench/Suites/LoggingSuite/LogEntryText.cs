using System.Globalization;
using System.Text.Unicode;

namespace Raceway.Suites.LoggingSuite;

/// <summary>The entry that every contestant writes: the same bytes, but for the digits of its time.</summary>
internal static class LogEntryText
{
    public const string Category = "Shop.Orders";

    public const string Template = "Order {Id} of customer {Customer} was packed by thread {Thread} and is on its way";

    /// <summary>The most bytes that an entry has.</summary>
    public const int MostLength = 160;

    /// <summary>The bytes of its time: <c>2026-11-24 03:44:08.123Z</c>.</summary>
    public const int TimeLength = 24;

    /// <summary>The customer of an order.</summary>
    public static int CustomerOf(int id) => (int)((uint)id * 7919 & 0xFFFF);

    /// <summary>Writes what follows the time; returns how many bytes.</summary>
    public static int Write(Span<byte> to, int thread, int id) =>
        Utf8.TryWrite(
            to, CultureInfo.InvariantCulture,
            $" INF {Category}: Order {id} of customer {CustomerOf(id)} was packed by thread {thread} and is on its way\n", out int length)
            ? length
            : throw new InvalidOperationException($"An entry must fit {to.Length} bytes: thread={thread}, id={id}.");
}
