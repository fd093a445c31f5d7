CREATE CONSTRAINT FOR (p:Product) REQUIRE p.productID IS UNIQUE;
CREATE CONSTRAINT FOR (c:Category) REQUIRE c.categoryID IS UNIQUE;
CREATE CONSTRAINT FOR (s:Supplier) REQUIRE s.supplierID IS UNIQUE;
CREATE CONSTRAINT FOR (c:Customer) REQUIRE c.customerID IS UNIQUE;
CREATE CONSTRAINT FOR (o:Order) REQUIRE o.orderID IS UNIQUE;
CREATE CONSTRAINT FOR (e:Employee) REQUIRE e.employeeID IS UNIQUE;

LOAD CSV WITH HEADERS FROM 'file:///products.csv' AS row
CREATE (n:Product)
SET n = row, n.unitPrice = toFloat(row.unitPrice), n.unitsInStock = toInteger(row.unitsInStock),
    n.discontinued = (row.discontinued <> '0');

LOAD CSV WITH HEADERS FROM 'file:///categories.csv' AS row
CREATE (n:Category) SET n = row;

LOAD CSV WITH HEADERS FROM 'file:///suppliers.csv' AS row
CREATE (n:Supplier) SET n = row;

MATCH (p:Product), (c:Category) WHERE p.categoryID = c.categoryID CREATE (p)-[:PART_OF]->(c);
MATCH (p:Product), (s:Supplier) WHERE p.supplierID = s.supplierID CREATE (s)-[:SUPPLIES]->(p);

LOAD CSV WITH HEADERS FROM 'file:///customers.csv' AS row
CREATE (n:Customer) SET n = row, n.region = CASE row.region WHEN 'NULL' THEN null ELSE row.region END;

LOAD CSV WITH HEADERS FROM 'file:///employees.csv' AS row
CREATE (n:Employee {employeeID: row.employeeID, lastName: row.lastName, hired: date(left(row.hireDate, 10))});

LOAD CSV WITH HEADERS FROM 'file:///employees.csv' AS row
MATCH (e:Employee {employeeID: row.employeeID}), (boss:Employee {employeeID: row.reportsTo})
MERGE (e)-[:REPORTS_TO]->(boss);

LOAD CSV WITH HEADERS FROM 'file:///orders.csv' AS row
MATCH (c:Customer {customerID: row.customerID}), (e:Employee {employeeID: row.employeeID})
CREATE (o:Order {orderID: row.orderID, ordered: date(left(row.orderDate, 10)), city: row.shipCity})
CREATE (c)-[:PURCHASED]->(o), (e)-[:SOLD]->(o);

LOAD CSV WITH HEADERS FROM 'file:///order-details.csv' AS row
MATCH (p:Product {productID: row.productID}), (o:Order {orderID: row.orderID})
MERGE (o)-[details:ORDERS]->(p)
ON CREATE SET details.unitPrice = toFloat(row.unitPrice), details.quantity = toInteger(row.quantity);
