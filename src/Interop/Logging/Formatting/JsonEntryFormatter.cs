using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Raceway.Interop.Logging;

/// <summary>An object of JSON on a line, with the names of the console's formatter.</summary>
/// <remarks>An entry that is too long keeps time, level, category and the beginning of its message, so that the line stays JSON.</remarks>
internal sealed class JsonEntryFormatter : EntryFormatter
{
    // A char takes six bytes at most: \u and four digits.
    private const int MostPerChar = 6;

    // What a short entry has beside its category and message.
    private const int Frame = 170;

    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    internal override bool UsesEntryAlone => true;

    public override void Write<TState>(in LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
    {
        string? message = entry.Formatter(entry.State, entry.Exception);
        Utf8JsonWriter json = writer.Json(s_options);
        WriteHead(json, in entry, writer, message, writer.Most, writer.Most);
        if (entry.Exception is { } exception) json.WriteString("Exception", Beginning(exception.ToString(), writer.Most));
        if (entry.State is IReadOnlyCollection<KeyValuePair<string, object?>> state)
        {
            json.WriteStartObject("State");
            foreach (KeyValuePair<string, object?> value in state) WriteValue(json, value.Key, value.Value, writer.Most);
            json.WriteEndObject();
        }

        if (scopes is not null)
        {
            json.WriteStartArray("Scopes");
            scopes.ForEachScope(WriteScope, writer);
            json.WriteEndArray();
        }

        End(json, writer);
        if (writer.IsCut) WriteShort(in entry, writer, message);
    }

    private static void WriteShort<TState>(in LogEntry<TState> entry, EntryWriter writer, string? message)
    {
        writer.Restart();
        Utf8JsonWriter json = writer.Json(s_options);
        int chars = (writer.Most - Frame) / MostPerChar;
        WriteHead(json, in entry, writer, message, chars / 4, chars - chars / 4);
        json.WriteBoolean("Cut", true);
        End(json, writer);
        writer.MarkCut();
    }

    private static void WriteHead<TState>(
        Utf8JsonWriter json, in LogEntry<TState> entry, EntryWriter writer, string? message, int categoryChars, int messageChars)
    {
        Span<byte> time = stackalloc byte[EntryWriter.MostTimestamp];
        json.WriteStartObject();
        json.WriteString("Timestamp", time[..writer.FormatTimestamp(time)]);
        json.WriteNumber("EventId", entry.EventId.Id);
        json.WriteString("LogLevel", NameOf(entry.LogLevel));
        json.WriteString("Category", Beginning(entry.Category, categoryChars));
        json.WriteString("Message", Beginning(message, messageChars));
    }

    private static void End(Utf8JsonWriter json, EntryWriter writer)
    {
        json.WriteEndObject();
        json.Flush();
        writer.WriteLine();
    }

    private static void WriteScope(object? scope, EntryWriter writer)
    {
        Utf8JsonWriter json = writer.OpenJson!;
        if (scope is not IEnumerable<KeyValuePair<string, object?>> values)
        {
            json.WriteStringValue(Beginning(TextOf(scope), writer.Most));
            return;
        }

        json.WriteStartObject();
        json.WriteString("Message", Beginning(TextOf(scope), writer.Most));
        foreach (KeyValuePair<string, object?> value in values) WriteValue(json, value.Key, value.Value, writer.Most);
        json.WriteEndObject();
    }

    private static void WriteValue(Utf8JsonWriter json, string name, object? value, int most)
    {
        switch (value)
        {
            case null: json.WriteNull(name); break;
            case bool flag: json.WriteBoolean(name, flag); break;
            case byte number: json.WriteNumber(name, number); break;
            case sbyte number: json.WriteNumber(name, number); break;
            case short number: json.WriteNumber(name, number); break;
            case ushort number: json.WriteNumber(name, number); break;
            case int number: json.WriteNumber(name, number); break;
            case uint number: json.WriteNumber(name, number); break;
            case long number: json.WriteNumber(name, number); break;
            case ulong number: json.WriteNumber(name, number); break;
            case decimal number: json.WriteNumber(name, number); break;
            case float number when float.IsFinite(number): json.WriteNumber(name, number); break;
            case double number when double.IsFinite(number): json.WriteNumber(name, number); break;
            default: json.WriteString(name, Beginning(TextOf(value), most)); break;
        }
    }

    private static string? TextOf(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture);

    // What is beyond the longest entry cannot fit; a huge text is not escaped for nothing.
    private static ReadOnlySpan<char> Beginning(string? text, int chars) => text is null ? default : text.AsSpan(0, Math.Min(text.Length, chars));

    private static ReadOnlySpan<byte> NameOf(LogLevel level) => level switch
    {
        LogLevel.Trace => "Trace"u8,
        LogLevel.Debug => "Debug"u8,
        LogLevel.Information => "Information"u8,
        LogLevel.Warning => "Warning"u8,
        LogLevel.Error => "Error"u8,
        _ => "Critical"u8,
    };
}
