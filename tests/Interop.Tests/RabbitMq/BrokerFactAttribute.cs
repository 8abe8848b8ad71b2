using System.Runtime.CompilerServices;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A test against a real broker, which `broker.sh with 1|3 …` starts.</summary>
public sealed class BrokerFactAttribute : FactAttribute
{
    public BrokerFactAttribute(
        int nodes = 1, bool isLong = false, [CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line)
    {
        if (Nodes.Length < nodes)
            Skip = $"Needs {nodes} RabbitMQ node(s): tests/Interop.Tests/RabbitMq/broker.sh with {nodes} dotnet test … (nodes now: {Nodes.Length})";
        else if (isLong && Environment.GetEnvironmentVariable("RACEWAY_RABBIT_LONG") is null)
            Skip = "Of the long set: set RACEWAY_RABBIT_LONG=1";
    }

    /// <summary>Where the nodes listen.</summary>
    public static string[] Nodes { get; } =
        Environment.GetEnvironmentVariable("RACEWAY_RABBIT_NODES")?.Split(',', StringSplitOptions.RemoveEmptyEntries) ?? [];
}
