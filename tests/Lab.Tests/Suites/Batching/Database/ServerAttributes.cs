using System.Runtime.CompilerServices;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>A test with PostgreSQL.</summary>
internal sealed class ServerFactAttribute : FactAttribute
{
    public ServerFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = Server.Missing;
}

/// <summary>The same with data.</summary>
internal sealed class ServerTheoryAttribute : TheoryAttribute
{
    public ServerTheoryAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = Server.Missing;
}
