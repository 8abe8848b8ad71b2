using System.Globalization;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Raceway.Interop.Logging;

/// <summary><c>2026-11-24 03:44:08.123Z INF Shop.Orders[7] => scope: Order 42 is shipped</c></summary>
internal sealed class TextEntryFormatter : EntryFormatter
{
    private const int MostDigits = 11;

    internal override bool UsesEntryAlone => true;

    public override void Write<TState>(in LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
    {
        writer.WriteTimestamp();
        writer.WriteUtf8(NameOf(entry.LogLevel));
        writer.Write(entry.Category);
        if (entry.EventId.Id != 0)
        {
            writer.WriteUtf8("["u8);
            if (entry.EventId.Id.TryFormat(writer.GetSpan(MostDigits), out int digits, default, CultureInfo.InvariantCulture)) writer.Advance(digits);
            writer.WriteUtf8("]"u8);
        }

        scopes?.ForEachScope(WriteScope, writer);
        writer.WriteUtf8(": "u8);
        writer.Write(entry.Formatter(entry.State, entry.Exception));
        if (entry.Exception is { } exception)
        {
            writer.WriteLine();
            writer.Write(exception.ToString());
        }

        writer.WriteLine();
    }

    private static void WriteScope(object? scope, EntryWriter writer)
    {
        writer.WriteUtf8(" => "u8);
        writer.Write(Convert.ToString(scope, CultureInfo.InvariantCulture));
    }

    private static ReadOnlySpan<byte> NameOf(LogLevel level) => level switch
    {
        LogLevel.Trace => " TRC "u8,
        LogLevel.Debug => " DBG "u8,
        LogLevel.Information => " INF "u8,
        LogLevel.Warning => " WRN "u8,
        LogLevel.Error => " ERR "u8,
        _ => " CRT "u8,
    };
}
