SwaggerUIBundle({url: "openapi.json", dom_id: "#ui", validatorUrl: null, deepLinking: true});
