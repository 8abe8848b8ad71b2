using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using Raceway.Interop.Hosting;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Event ids are unique, and those of the document.</summary>
public sealed partial class LogTests
{
    [Fact]
    public void Ids_OfAllMessages_AreUniqueAndThoseOfTheDocument()
    {
        var messages = typeof(HostingLog).GetMethods(BindingFlags.Static | BindingFlags.Public)
            .Select(method => (Message: method.GetCustomAttribute<LoggerMessageAttribute>(), method.Name))
            .Where(pair => pair.Message is not null)
            .Select(pair => (pair.Message!.EventId, pair.Name, $"{pair.Message.Level}"))
            .ToList();

        Assert.NotEmpty(messages);
        Assert.Equal(messages.Count, messages.DistinctBy(message => message.EventId).Count());
        var documented = LogRow().Matches(Document.Text)
            .Select(row => (int.Parse(row.Groups[1].ValueSpan), row.Groups[2].Value, row.Groups[3].Value)).ToList();
        Assert.Equal(messages.OrderBy(message => message.EventId), documented);
    }

    [GeneratedRegex(@"^\| (\d+) \| `(\w+)` \| (\w+) \|", RegexOptions.Multiline)]
    private static partial Regex LogRow();
}
